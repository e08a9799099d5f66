# SPDX-License-Identifier: Apache-2.0
# Runs of patterns that are measured, and what they leave: for the tests of steps.

import json
import pathlib
import tempfile
import unittest

import backends
import launch


def with_usual(usual, flags):
    """`flags`, and those of `usual` that they do not give another value."""
    usual = list(usual)
    for flag in ("--model", "--layers"):
        if flag in usual and flag in flags:
            at = usual.index(flag)
            del usual[at:at + 2]
    return (*usual, *flags)


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="replay-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.files = 0

    def measure(self, program, ranks, *flags, status=0, env=None):
        """(what the run said, its file)"""
        self.files += 1
        path = self.folder / f"{self.files}.json"
        result = launch.run_ranks(ranks, program, *flags, "-J", path, env=env)
        self.assertEqual(result.returncode, status, f"{program} {flags}\n{result.output}")
        return result, json.loads(path.read_text()) if path.exists() else None


def on_the_clock(tests):
    """Of the fakes' virtual clock, once."""
    tests = unittest.skipIf(launch.sanitized(), "too slow under sanitizers")(tests)
    return unittest.skipUnless(backends.name() == "nccl-threads", "of the fakes' virtual clock, once")(tests)


class ClockedRuns(Runs):
    """The fakes take a latency and a bandwidth for an operation and share no links: a prediction with these is what the
    clock must say."""

    CLOCK = {"FAKE_CUDA_VTIME": "1", "FAKE_NCCL_LATENCY_US": "10", "FAKE_NCCL_GBps": "100"}

    def step(self, program, ranks, *flags, tflops=40):
        links = self.folder / "links.txt"
        links.write_text("".join(f"{operation} ranks {ranks} nodes 1 from_bytes 0 latency_us 10 bandwidth_GBps 100\n"
                                 for operation in ("all_reduce", "all_gather", "reduce_scatter", "reduce", "alltoall",
                                                   "alltoallv", "sendrecv")))
        usual = ("--model", "tiny", "--compute", "busy", "--tflops", tflops, "--links", links, "--own-links",
                 "--steps", 3)
        _, document = self.measure(program, ranks, *with_usual(usual, flags), env=self.CLOCK)
        return document["steps"][0]
