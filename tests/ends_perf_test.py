# SPDX-License-Identifier: Apache-2.0
# How a real benchmark ends while it measures: blocking MPI calls, a table, rows in the file.

import json
import os
import pathlib
import re
import signal
import tempfile
import time
import unittest

import backends
import launch
from ends import repeat

# Where all ranks are one process, signals find all or none of them, and mpirun of MPICH 4.0.2 that gets one itself
# returns 0, whatever a single process returns.
SEVERAL_PROCESSES = backends.only_on("mpi", "nccl")

# Rows without end, each of them short.
ENDLESS = ("-b", "8", "-e", "8M", "-i", "64", "--samples", "5")
RANK_LINE = re.compile(r"^#\s+Rank +(\d+) .* Pid +(\d+) on", re.MULTILINE)
ROW_LINE = re.compile(r"^ +\d+ +\d+ +float .*\n", re.MULTILINE)


class PerfEnds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ends-")
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "result.json"

    def end_by(self, number, target, *flags):
        """Signals "mpirun" or a rank once three rows stand in the table. Returns the Result."""
        with launch.start_ranks(2, "all_reduce_perf", *ENDLESS, *flags, "-J", self.path) as running:
            deadline = time.monotonic() + 30
            while len(ROW_LINE.findall(running.output()[0])) < 3:
                going = running.process.poll() is None and time.monotonic() < deadline
                self.assertTrue(going, running.output())
                time.sleep(0.02)
            self.pids = {int(r): int(pid) for r, pid in RANK_LINE.findall(running.output()[0])}
            os.kill(running.pid if target == "mpirun" else self.pids[target], number)
            return running.wait(30)

    def check_file(self, result, status, exit_status):
        """The file says how it ended and has the rows of the table, and at most the next ones."""
        document = json.loads(self.path.read_text())
        self.assertEqual(document["run"]["status"], status)
        self.assertEqual(document["run"]["exit_status"], exit_status)
        self.assertEqual(result.stderr, f"all_reduce_perf: {document['run']['message']}\n")
        printed = len(ROW_LINE.findall(result.stdout))
        self.assertGreaterEqual(printed, 3)
        self.assertIn(len(document["rows"]) - 2 * printed, (-2, -1, 0, 1, 2))
        self.assertFalse(pathlib.Path(f"{self.path}.rows").exists())

    @SEVERAL_PROCESSES
    def test_interrupted(self):
        result = self.end_by(signal.SIGINT, "mpirun")
        self.assertEqual(result.returncode, 130, result.stderr)
        self.check_file(result, "interrupted", 130)
        self.assertRegex(result.stderr, r"rank 0 on .* got SIGINT in all_reduce \d+ B float")

    @SEVERAL_PROCESSES
    def test_terminated(self):
        result = self.end_by(signal.SIGTERM, 1)
        self.assertEqual(result.returncode, 143, result.stderr)
        self.check_file(result, "interrupted", 143)
        self.assertRegex(result.stderr, r"rank 1 on .* got SIGTERM in all_reduce \d+ B float")

    @SEVERAL_PROCESSES
    def test_stopped_rank(self):
        result = self.end_by(signal.SIGSTOP, 1, "-T", "2")
        self.assertEqual(result.returncode, 5, result.stderr)
        self.check_file(result, "timeout", 5)
        self.assertRegex(result.stderr, r"no progress for 2 s in all_reduce \d+ B float .*"
                                        rf"; rank 1 \(pid {self.pids[1]}\) is stopped\n$")

    def test_killed_rank(self):
        result = self.end_by(signal.SIGKILL, 1)
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(json.loads(self.path.read_text())["run"]["status"], "running")
        rows = pathlib.Path(f"{self.path}.rows").read_text().splitlines()
        self.assertGreaterEqual(len(rows), 4)
        shown = launch.run_program("collbench", "show", self.path)
        self.assertIn("incomplete", shown.output)

    def test_bad_flag(self):
        result = launch.run_ranks(2, "all_reduce_perf", "-b", "12Q")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_existing_file(self):
        self.path.write_text("precious")
        result = launch.run_ranks(2, "all_reduce_perf", "-b", "8", "-e", "8", "-J", self.path)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn("--force", result.stderr)
        self.assertEqual(self.path.read_text(), "precious")


class StartedDifferently(unittest.TestCase):
    """Ranks whose command lines or builds differ; each run would hang if it went on."""

    ROW = ("-b", "8", "-e", "8")

    def refused(self, rank0, rank1, text):
        """The one line, whichever way the ranks differ."""
        command = [*launch.mpirun(1, *rank0), ":", "-n", "1", *rank1]
        with launch.start(*command) as running:
            result = running.wait(30)
        self.assertEqual(result.returncode, 2, result.output)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertRegex(result.stderr, f"^all_reduce_perf: {text}\n$")
        return result

    def setUp(self):
        launch.skip_beyond(2)
        self.program = launch.program_path("all_reduce_perf")

    def test_arguments(self):
        for more in (("-n", "4"), ("-w", "2"), ("-c", "0"), ("-d", "half"), ("--samples", "3"),
                     ("--wait", "yield"), ("--backend", "mpi"), ("--dry-run",)):
            result = self.refused(
                (self.program, *self.ROW), (self.program, *self.ROW, *more),
                f"rank 1 on .* has the arguments '-b 8 -e 8 {' '.join(more)}', but rank 0 has "
                "'-b 8 -e 8'; start all ranks with the same ones")
            self.assertEqual(result.stdout, "")

    def test_a_bad_flag_on_one_rank(self):
        good, bad = (self.program, *self.ROW), (self.program, "-b", "12Q")
        self.refused(good, bad, "rank 1 on .* has the arguments '-b 12Q', but rank 0 has .*")
        self.refused(bad, good, "-b: '12Q' has an unknown unit; .*")

    def test_a_rank_that_only_prints(self):
        good, prints = (self.program, *self.ROW), (self.program, "--version")
        self.refused(good, prints, "rank 1 on .* has the arguments '--version', but .*")
        self.refused(prints, good, "rank 1 on .*, but rank 0 has '--version'; .*")

    def test_another_program(self):
        other = launch.program_path("all_gather_perf")
        self.refused((self.program, *self.ROW), (other, *self.ROW),
                     "rank 1 on .* runs all_gather_perf, but rank 0 runs all_reduce_perf; .*")

    def test_another_build(self):
        version = launch.run_program("all_reduce_perf", "--version").stdout
        commit = re.search(r"commit (\S+)\)", version)[1].encode()
        with tempfile.TemporaryDirectory(prefix="ends-") as folder:
            other = pathlib.Path(folder) / "all_reduce_perf"
            content = pathlib.Path(self.program).read_bytes()
            other.write_bytes(content.replace(commit, b"X" * len(commit)))
            other.chmod(0o755)
            self.refused((self.program, *self.ROW), (other, *self.ROW),
                         r"rank 1 on .* runs build '.*\|X+\|.*' of all_reduce_perf, but rank 0 .*")


class ABackendThatIsNotThere(unittest.TestCase):
    def test_one_line_every_time(self):
        if (launch.BUILD / "libcollbench_nccl.so").exists():
            self.skipTest("there is a plugin")
        for result in repeat(20, launch.run_ranks, 2, "all_reduce_perf", "--backend", "nccl"):
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertRegex(result.stderr, r"^all_reduce_perf: --backend nccl is not available on "
                                            r"host \S+: no libcollbench_nccl.so .*\n$")
            self.assertEqual(result.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
