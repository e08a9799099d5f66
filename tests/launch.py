# SPDX-License-Identifier: Apache-2.0
# Starts programs of the build folder for the end-to-end tests, alone or as ranks under mpirun.
"""What a test needs to start what was built.

run_ranks(4, "all_reduce_perf", "-b", "8")      -> Result, after the end
run_program("collbench", "show", path)          -> Result, without mpirun
with start_ranks(2, "all_reduce_perf") as run:  -> Running, to send signals while it runs

Every child has a deadline and is its own process group, which dies with the test.
"""

import os
import pathlib
import shlex
import signal
import subprocess
import tempfile
import unittest
from dataclasses import dataclass

import backends

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = (ROOT / os.environ.get("COLLBENCH_BUILD", "build")).resolve()


@dataclass
class Result:
    """How a child ended. `timed_out`: it was killed at its deadline; `returncode` is then negative."""

    returncode: int
    stdout: str
    stderr: str
    timed_out: bool = False

    @property
    def output(self):
        return self.stdout + self.stderr


# What mpirun of MPICH prints where it has lost the status of a process and takes 1, the raw number, for it. It happens
# seldom, in runs that end by MPI_Abort.
LOST_STATUS = "EXIT STRING: Hangup (signal 1)"


def status_of(result, document):
    """The status that a run has ended with. As docs/exit-status.md tells scripts, the file is believed where the
    launcher has lost it."""
    in_file = document["run"].get("exit_status") if document else None
    return in_file if LOST_STATUS in result.output and in_file is not None else result.returncode


def sanitized():
    """Whether the build under test carries a sanitizer."""
    flags = BUILD / "flags"
    return flags.exists() and "-fsanitize=" in flags.read_text()


def rank_counts():
    """The rank counts of the MPI tests: 1 to TEST_RANKS, or to 4; never more than there are real GPUs to test on."""
    most = int(os.environ.get("TEST_RANKS", "4"))
    return range(1, min(most, backends.real_gpus() or most) + 1)


def skip_beyond(ranks):
    """Skips the test where TEST_RANKS allows fewer ranks."""
    if ranks not in rank_counts():
        raise unittest.SkipTest(f"{ranks} ranks, TEST_RANKS={rank_counts()[-1]}")


def program_path(name):
    """A bare name is a program of the build folder."""
    return str(BUILD / name) if "/" not in str(name) else str(name)


def collectives():
    """Their names. What else is in their folder comes before or beside a collective, and has other flags."""
    return sorted(page.stem for page in (ROOT / "collectives").glob("*.cpp") if "run_collective(" in page.read_text())


backend = backends.under_test(BUILD)


def launcher():
    """The words that start ranks."""
    return shlex.split(os.environ.get("MPIRUN", "mpirun"))


def mpirun(ranks, *command):
    """The command line that starts so many ranks of a command; none in a file that says STARTS_NO_RANKS."""
    if os.environ.get("TEST_BESIDE_OTHERS"):
        raise AssertionError("this file says STARTS_NO_RANKS and is run beside others: take that line out")
    return [*launcher(), "-n", str(ranks), *map(str, command)]


def environment(extra=None):
    """The environment of a child: this one's, what sanitizers and Open MPI need, and `extra`."""
    env = dict(os.environ)
    # A program that is started alone in a job of several tasks refuses to run.
    for name in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"):
        env.pop(name, None)
    # Of the make that started the tests: one that a test starts would warn that the jobs of the other are not its own.
    for name in ("MAKEFLAGS", "MAKELEVEL"):
        env.pop(name, None)
    # Open MPI refuses root and more ranks than cores unless told; MPICH ignores these.
    env.update(
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
    )
    if not os.path.exists("/sys/class/net"):
        # In a bare chroot UCX and hwloc say so on every rank, amid what a test compares.
        env.setdefault("UCX_LOG_LEVEL", "fatal")
        env.setdefault("HWLOC_HIDE_ERRORS", "2")
    if sanitized():
        # The last one: a test may put a library before all others.
        env.setdefault("ASAN_OPTIONS", "abort_on_error=0:exitcode=86:detect_stack_use_after_return=1:"
                                       "verify_asan_link_order=0")
        env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
        env.setdefault("LSAN_OPTIONS", f"suppressions={ROOT / 'tests/lsan.supp'}:print_suppressions=0")
        # UCX under MPICH installs its own signal handlers and memory hooks, which fight with ASan's.
        env.setdefault("UCX_HANDLE_ERRORS", "none")
        env.setdefault("UCX_ERROR_SIGNALS", "")
        env.setdefault("UCX_MEM_EVENTS", "no")
    env.update(extra or {})
    return env


def on_fakes(extra=None):
    """What a child's environment adds so that the plugin takes the stand-ins for NVIDIA's libraries."""
    return {**backends.fakes_environment(BUILD), **(extra or {})}


class Running:
    """A child that runs; a context manager that leaves nothing behind."""

    def __init__(self, command, env=None, cwd=None):
        # Files, not pipes: a grandchild that outlives the child then cannot hold us up.
        self._stdout = tempfile.TemporaryFile()
        self._stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=self._stdout,
            stderr=self._stderr,
            env=environment(env),
            cwd=cwd,
            start_new_session=True,
        )

    @property
    def pid(self):
        """The launcher's process, or the program's own where there is no launcher."""
        return self.process.pid

    def output(self):
        """What it has printed so far: (stdout, stderr)."""
        return _content(self._stdout), _content(self._stderr)

    def wait(self, timeout=60):
        """Its Result; killed if it is not over within `timeout` seconds."""
        timed_out = False
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
            self.kill()
        return Result(self.process.returncode, *self.output(), timed_out)

    def kill(self):
        """Ends the whole group: politely, so that mpirun takes its ranks along, then for sure."""
        for number, patience_s in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
            if self.process.poll() is None:
                _signal_group(self.process.pid, number)
                try:
                    self.process.wait(patience_s)
                except subprocess.TimeoutExpired:
                    pass
        _signal_group(self.process.pid, signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self._stdout.close()
        self._stderr.close()


def _content(file):
    """Read without moving the offset that the child writes at."""
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), size, 0).decode(errors="replace")


def _signal_group(group, number):
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass


def start(*command, env=None, cwd=None):
    """Starts a command and returns while it runs."""
    return Running(command, env, cwd)


def start_ranks(ranks, program, *args, env=None, cwd=None):
    """Starts ranks and returns while they run, on the backend under test. Skips the test where TEST_RANKS allows
    fewer."""
    skip_beyond(ranks)
    processes, flags, variables = backend.placed(ranks, str(program))
    return Running(mpirun(processes, program_path(program), *flags, *args), {**variables, **(env or {})}, cwd)


def run_ranks(ranks, program, *args, timeout=60, env=None, cwd=None):
    """Runs ranks to their end."""
    with start_ranks(ranks, program, *args, env=env, cwd=cwd) as running:
        return running.wait(timeout)


def run_program(program, *args, timeout=60, env=None, cwd=None):
    """Runs one program to its end, without mpirun."""
    with Running([program_path(program), *args], env, cwd) as running:
        return running.wait(timeout)
