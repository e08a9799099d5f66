# SPDX-License-Identifier: Apache-2.0
# The backend that end-to-end tests run on: the host's, or that for GPUs on the fakes of NVIDIA's libraries.
"""TEST_BACKEND says which: mpi (the default); nccl, one rank in each process; nccl-threads, all ranks in one process.
TEST_GPUS, a number, has the last two take so many real GPUs, and no fakes.

A test that only makes sense on some of them says so by @only_on("mpi").
"""

import os
import pathlib
import unittest

ON_FAKES = ("nccl", "nccl-threads")
BACKENDS = ("mpi", *ON_FAKES)


def name():
    return os.environ.get("TEST_BACKEND", "mpi")


def real_gpus():
    """How many GPUs of this machine the tests take; None: they take the fakes."""
    given = os.environ.get("TEST_GPUS")
    return int(given) if given else None


def fakes_environment(build):
    """What a child needs to take the fakes for NVIDIA's libraries, unless it is to take real ones."""
    return {} if real_gpus() else {
        "LD_LIBRARY_PATH": str(build / "fakes"),
        "LD_BIND_NOW": "1",  # a function that the fakes lack shows at the start
        "UCX_HANDLE_ERRORS": "none",  # UCX would wait for a debugger after a crash
    }


def has_nccl(build):
    """Whether the plugin and the fakes that it runs on have been built."""
    return (build / "libcollbench_nccl.so").exists() and (build / "fakes" / "libnccl.so.2").exists()


class Host:
    def placed(self, ranks, program):
        """(processes, flags, variables) that start so many ranks of a program."""
        return ranks, [], {}


class OnFakes:
    def __init__(self, build, threads):
        self.variables = fakes_environment(build)
        self.threads = threads

    def placed(self, ranks, program):
        name = pathlib.Path(program).name
        if not name.endswith("_perf"):
            return ranks, [], {}
        if not self.threads:
            return ranks, ["--backend", "nccl"], self.variables
        return 1, ["--backend", "nccl", "-t", str(ranks)], self.variables


def under_test(build):
    chosen = name()
    if chosen not in BACKENDS:
        raise SystemExit(f"TEST_BACKEND={chosen}: give one of {', '.join(BACKENDS)}")
    return Host() if chosen == "mpi" else OnFakes(build, chosen == "nccl-threads")


def only_on(*backends):
    """Skips a test elsewhere."""
    return unittest.skipUnless(name() in backends, f"of the backend {' and '.join(backends)} only")
