# SPDX-License-Identifier: Apache-2.0
# Starts runs that end badly, and tells how they ended.
"""Runs tests/programs/ends.cpp, or another program with a result file, under mpirun.

run(2, "system-error", "1")            -> Outcome, after the end
run_and_signal(signal.SIGINT, 0)       -> Outcome of a run that was going
repeat(20, run, 2, "none")             -> list of Outcomes
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import stat
import subprocess
import tempfile
import time
import unittest

import launch

ENDS = str(launch.BUILD / "tests/ends")
AT_ONCE = 8  # runs: they mostly wait
FOREVER = ("--blocks", "1000000")


class Outcome:
    """A run that is over: status, its lines on stderr, and what its file says."""

    def __init__(self, result, path, pids=()):
        self.stdout = result.stdout
        self.stderr = result.stderr
        self.timed_out = result.timed_out
        self.pids = pids
        self.lines = [line for line in result.stderr.splitlines() if line.startswith("ends: ")]
        self.document = json.loads(path.read_text()) if path.exists() else None
        self.status = launch.status_of(result, self.document)
        rows = pathlib.Path(f"{path}.rows")
        self.rows_aside = rows.read_text().splitlines() if rows.exists() else None

    def brief(self):
        """What must be equal in every repetition."""
        run = self.document["run"] if self.document else {}
        rows = len(self.document["rows"]) if self.document else None
        return (self.status, len(self.lines), run.get("status"), run.get("exit_status"), rows)

    def message(self):
        return self.document["run"].get("message", "")


class Run:
    """`ends` under mpirun, with a result file; a context manager."""

    def __init__(self, ranks, *args, launcher=(), wrapper=(), env=None):
        launch.skip_beyond(ranks)
        self.folder = tempfile.TemporaryDirectory(prefix="ends-")
        self.path = pathlib.Path(self.folder.name) / "result.json"
        mpirun = launch.mpirun(ranks, *wrapper, ENDS, *args, "-J", self.path)
        first = len(shlex.split(os.environ.get("MPIRUN", "mpirun")))
        self.child = launch.start(*mpirun[:first], *launcher, *mpirun[first:], env=env)
        self.pids = []

    def until_ready(self):
        """Waits until rank 0 has written two rows; then `pids` are the ranks' processes."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.child.process.poll() is None:
            lines = self.child.output()[0].splitlines()
            if "ready" in lines:
                self.pids = [int(pid) for pid in lines[0].split()[1:]]
                return self
            time.sleep(0.01)
        raise AssertionError(f"the run never got ready: {self.child.output()}")

    def signal(self, number, target):
        """To "mpirun" or to a rank."""
        os.kill(self.child.pid if target == "mpirun" else self.pids[target], number)

    def wait(self):
        return Outcome(self.child.wait(30), self.path, self.pids)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.__exit__()
        self.folder.cleanup()


def run(ranks, *args, **how):
    with Run(ranks, *args, **how) as running:
        return running.wait()


def run_and_signal(number, target, *args, **how):
    with Run(2, "none", *args, *FOREVER, **how) as running:
        running.until_ready().signal(number, target)
        return running.wait()


def repeat(times, function, *args, **how):
    """Outcomes of so many runs, some at a time."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return [f.result() for f in [pool.submit(function, *args, **how) for _ in range(times)]]


def is_hydra():
    version = subprocess.run(
        [*shlex.split(os.environ.get("MPIRUN", "mpirun")), "--version"],
        capture_output=True, text=True, check=False,
    )
    return "HYDRA" in version.stdout


def make_script(folder, name, text):
    path = pathlib.Path(folder) / name
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


# Hydra starts its proxies with this as if over ssh: two of them are two hosts to MPI, and to us,
# since ranks of another launcher process are no peers.
FAKE_SSH = """#!/bin/bash
while [[ $1 == -* ]]; do shift; done
shift
eval "exec $*"
"""

LATE = """#!/bin/bash
[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = "$LATE_RANK" ] && sleep 60
exec "$@"
"""


def two_hosts(folder):
    if not is_hydra():
        raise unittest.SkipTest("requires hydra, to start two hosts on one")
    script = make_script(folder, "fake_ssh", FAKE_SSH)
    return ("-localhost", "127.0.0.1", "-launcher", "ssh", "-launcher-exec", script,
            "-hosts", "hosta,hostb")
