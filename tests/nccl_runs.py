# SPDX-License-Identifier: Apache-2.0
# Runs of the nccl backend on the fakes of NVIDIA's libraries, and what they leave behind.
"""Ranks as processes, as threads of one process, or as threads of several:

run(THREADS, 2, "all_reduce_perf", "-n", 5, faults="AllReduce#3@1=hang")  -> End
run_all([Case(...), ...])                                                 -> their Ends, some at a time
"""

import concurrent.futures
import json
import pathlib
import re
import tempfile
import time
import unittest
from dataclasses import dataclass, field

import backends
import launch

PROCESSES, THREADS, BOTH = "processes", "threads", "threads of two processes"
AT_ONCE = 6  # runs: they mostly wait

needs_fakes = unittest.skipUnless(
    backends.has_nccl(launch.BUILD), "requires plugin: CUDA's compiler and nccl.h")


def placed(way, ranks):
    """(processes, flags) of so many ranks."""
    if way == PROCESSES:
        return ranks, ()
    return (1, ("-t", ranks)) if way == THREADS else (2, ("-t", ranks // 2))


@dataclass
class Case:
    """One run: what is started, and what becomes of it is for the test to say."""

    way: str
    ranks: int
    program: str
    flags: tuple
    faults: str = ""
    env: dict = field(default_factory=dict)

    def __str__(self):
        return f"{self.program} {' '.join(map(str, self.flags))} [{self.ranks} {self.way}] {self.faults}"


class End:
    """How a run ended, and what its file said then."""

    def __init__(self, case, result, path):
        self.case = case
        self.stdout, self.stderr, self.timed_out = result.stdout, result.stderr, result.timed_out
        self.document = json.loads(path.read_text()) if path.exists() else None
        self.status = launch.status_of(result, self.document)
        aside = pathlib.Path(f"{path}.rows")
        self.rows_aside = aside.read_text().splitlines() if aside.exists() else None
        self.validated = launch.run_program("collbench", "validate", path)

    def __str__(self):
        return f"{self.case}: status {self.status}\n{self.stdout[-500:]}{self.stderr}"

    @property
    def run(self):
        return self.document["run"] if self.document else {}

    @property
    def rows(self):
        return self.document["rows"]


def command(case, path):
    processes, flags = placed(case.way, case.ranks)
    return launch.mpirun(processes, launch.program_path(case.program), "--backend", "nccl", *flags, *case.flags,
                         "-J", path)


def environment(case):
    return launch.on_fakes({"FAKE_NCCL_FAULTS": case.faults, **case.env})


def run_case(case, timeout=60):
    with tempfile.TemporaryDirectory(prefix="nccl-") as folder:
        path = pathlib.Path(folder) / "result.json"
        with launch.start(*command(case, path), env=environment(case)) as running:
            return End(case, running.wait(timeout), path)


def run(way, ranks, program, *flags, faults="", env=None):
    return run_case(Case(way, ranks, program, flags, faults, env or {}))


def run_all(cases):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(run_case, cases))


# ---- shared memory

SHARED_MEMORY = pathlib.Path("/dev/shm")


def shared_memory():
    """What lies there, but for what MPICH and UCX forget where a rank dies in MPI_Init."""
    names = {file.name for file in SHARED_MEMORY.iterdir()} if SHARED_MEMORY.exists() else set()
    return {name for name in names if not name.startswith(("mpich_shar_tmp", "ucx_shm_posix"))}


def left_behind(before, patience_s=5):
    """New names that no process uses: others may run on this machine."""
    deadline = time.monotonic() + patience_s
    while True:
        new = shared_memory() - before
        left = new - in_use() if new else new
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.1)


def in_use():
    names = set()
    for maps in pathlib.Path("/proc").glob("[0-9]*/maps"):
        try:
            names.update(re.findall(r"/dev/shm/(\S+)", maps.read_text()))
        except OSError:  # it has ended
            pass
    return names


class LeavesNothing(unittest.TestCase):
    """Tests after which nothing of theirs is in shared memory."""

    @classmethod
    def setUpClass(cls):
        cls.before = shared_memory()

    @classmethod
    def tearDownClass(cls):
        left = left_behind(cls.before)
        if left:
            raise AssertionError(f"left in {SHARED_MEMORY}: {', '.join(sorted(left))}")
