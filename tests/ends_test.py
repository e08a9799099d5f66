# SPDX-License-Identifier: Apache-2.0
# How runs end: every fault leaves the right status, one line, and a file that says the same.
"""The faults come from outside (signals, wrappers, limits) or from tests/programs/ends.cpp, a program
that fails on demand and otherwise goes the way of every binary. docs/exit-status.md is what is tested.
"""

import concurrent.futures
import json
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import launch
from ends import ENDS, LATE, Run, is_hydra, make_script, repeat, run, run_and_signal, two_hosts

REPEATS = 20  # a status that comes out right by chance only does not pass


class EveryStatus(unittest.TestCase):
    """Fast ends, each many times: the same status through mpirun, and in the file."""

    def check(self, outcomes, expected, *parts):
        for outcome in outcomes:
            self.assertEqual(outcome.brief(), expected, outcome.stderr)
            for part in parts:
                self.assertIn(part, outcome.stderr)
            self.assertIsNone(outcome.rows_aside)
            if expected[1]:
                self.assertEqual(outcome.lines, [f"ends: {outcome.message()}"])

    def test_ok(self):
        self.check(repeat(REPEATS, run, 2, "none"), (0, 0, "complete", 0, 2))

    def test_a_verdict_not_met(self):
        self.check(repeat(2, run, 2, "verdict"), (1, 0, "complete", 1, 2))

    def test_wrong_data_on_one_rank(self):
        self.check(repeat(REPEATS, run, 2, "wrong-data", "1"), (4, 0, "complete", 4, 2))

    def test_a_user_error_that_all_ranks_find(self):
        outcomes = repeat(REPEATS, run, 2, "user-error")
        self.check(outcomes, (2, 1, "error", 2, 2), "ends: -z: no such thing")

    def test_a_system_error_on_rank_0(self):
        outcomes = repeat(REPEATS, run, 2, "system-error", "0")
        self.check(outcomes, (3, 1, "error", 3, 2), "ends: rank 0 on ", "flux() failed: E_FLUX")

    def test_a_system_error_on_rank_1(self):
        outcomes = repeat(REPEATS, run, 2, "system-error", "1")
        self.check(outcomes, (3, 1, "error", 3, 2), "ends: rank 1 on ", "flux() failed: E_FLUX")

    def test_a_system_error_that_all_ranks_find(self):
        outcomes = repeat(REPEATS, run, 2, "common-system-error")
        self.check(outcomes, (3, 1, "error", 3, 2), "ends: no flux on any host\n")

    def test_an_internal_error(self):
        outcomes = repeat(2, run, 2, "internal-error", "1")
        self.check(outcomes, (3, 1, "error", 3, 2), "internal error: odd state")

    def test_a_rank_that_hangs(self):
        outcomes = repeat(REPEATS, run, 2, "hang", "1", "-T", "0.3")
        self.check(outcomes, (5, 1, "timeout", 5, 2),
                   "no progress for 0.3 s in test 8 B float block 3\n")

    def test_signals_to_mpirun(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            outcomes = repeat(REPEATS, run_and_signal, number, "mpirun")
            self.check(outcomes, (status, 1, "interrupted", status, 2),
                       f"got {number.name} in test 8 B float block")

    def test_signals_to_one_rank(self):
        for name, status in (("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 143), ("SIGQUIT", 143)):
            for rank in (0, 1):
                outcomes = repeat(REPEATS // 2, run_and_signal, signal.Signals[name], rank)
                self.check(outcomes, (status, 1, "interrupted", status, 2),
                           f"ends: rank {rank} on ", f"got {name}")

    def test_a_stopped_rank_is_named(self):
        for outcome in repeat(4, run_and_signal, signal.SIGSTOP, 1, "-T", "1"):
            self.check([outcome], (5, 1, "timeout", 5, 2),
                       f"; rank 1 (pid {outcome.pids[1]}) is stopped\n")

    def test_a_rank_stopped_for_a_while_does_no_harm(self):
        with Run(2, "none", "--blocks", "60") as running:
            running.until_ready().signal(signal.SIGSTOP, 1)
            time.sleep(0.5)
            running.signal(signal.SIGCONT, 1)
            self.check([running.wait()], (0, 0, "complete", 0, 2))


class BeforeTheRun(unittest.TestCase):
    def test_a_bad_command_line(self):
        for outcome in repeat(REPEATS, run, 2, "no-such-fault"):
            self.assertEqual(outcome.brief(), (2, 1, None, None, None))
            self.assertEqual(outcome.stderr, "ends: FAULT: no such fault\n")

    def test_an_error_that_rank_0_alone_finds_is_shared(self):
        for rank in ("0", "1"):
            outcome = run(2, "user-error-together", rank)
            self.assertEqual(outcome.status, 2)
            self.assertEqual(outcome.stderr, "ends: -J: no such folder\n")

    def test_a_result_path_that_cannot_be_written(self):
        result = launch.run_ranks(2, ENDS, "none", "-J", "/nonexistent/result.json")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn("/nonexistent/result.json", result.stderr)

    def test_a_launcher_of_another_mpi(self):
        for rank, lines in ((0, 1), (3, 0)):
            env = {"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "4"}
            if not is_hydra():
                env = {"PMI_RANK": str(rank), "PMI_SIZE": "4"}
            result = launch.run_program(ENDS, "none", env=env)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr.count("\n"), lines, result.stderr)
            if lines:
                self.assertIn("started 4 processes but MPI sees 1", result.stderr)

    def test_no_launcher_in_a_job_of_several_tasks(self):
        for name in ("SLURM_NTASKS", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE"):
            result = launch.run_program(ENDS, "none", env={name: "4"})
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, f"^ends: {name} announces 4 processes but no launcher "
                                            f".* or unset {name}\n$")
        result = launch.run_ranks(1, ENDS, "none", env={"SLURM_NTASKS": "4"})
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_rank_that_does_not_start(self):
        with tempfile.TemporaryDirectory() as folder:
            wrapper = (make_script(folder, "late", LATE),)
            outcomes = repeat(REPEATS // 2, run, 3, "none", "--start-timeout", "0.5",
                              wrapper=wrapper, env={"LATE_RANK": "2"})
        for outcome in outcomes:
            self.assertEqual(outcome.brief(), (5, 1, None, None, None), outcome.stderr)
            self.assertIn("2 of 3 ranks wait in MPI_Init after 0.5 s (on ", outcome.lines[0])
            self.assertRegex(outcome.lines[0], r"rank 2 \(pid \d+\) has not started the program")

    def test_a_run_of_one_rank_waits_for_no_other_host(self):
        result = launch.run_program(ENDS, "none", "--start-timeout", "0.5",
                                    env={"ENDS_LATE_RANK": "0"})
        self.assertEqual(result.returncode, 5)
        self.assertRegex(result.stderr, r"^ends: 1 of 1 ranks wait in MPI_Init after 0.5 s \(on .*: "
                                        r"there is no other rank to wait for\)\n$")

    def test_a_signal_while_ranks_wait_in_mpi_init(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with Run(2, "none", env={"ENDS_LATE_RANK": "1"}) as running:
                time.sleep(0.5)
                running.signal(number, "mpirun")
                outcome = running.wait()
            self.assertEqual(outcome.status, status)
            self.assertEqual(len(outcome.lines), 1, outcome.stderr)
            self.assertIn(f"got {number.name} in MPI_Init", outcome.lines[0])


class Writing(unittest.TestCase):
    def test_a_full_disk_at_the_end(self):
        """The file cannot be replaced by its end; what there was stays."""
        outcome = run(2, "full-disk", "0")
        self.assertEqual(outcome.brief(), (3, 1, "running", None, 0), outcome.stderr)
        self.assertRegex(outcome.lines[0], r"^ends: rank 0 on .*result\.json.*: File too large")
        self.assertEqual(len(outcome.rows_aside), 2)

    def test_stdout_that_cannot_be_written(self):
        full = subprocess.run(["bash", "-c", '"$0" none > /dev/full', ENDS],
                              capture_output=True, text=True, check=False)
        self.assertEqual(full.returncode, 3)
        self.assertRegex(full.stderr, "^ends: rank 0 on .*: write to stdout failed: No space left")
        closed = subprocess.run(["bash", "-c", '"$0" none | true; exit ${PIPESTATUS[0]}', ENDS],
                                capture_output=True, text=True, check=False)
        self.assertEqual(closed.returncode, 3)
        self.assertIn("write to stdout failed: Broken pipe", closed.stderr)

    def test_closed_standard_files(self):
        """Nothing that is opened later takes their place, and what is printed."""
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/result.json"
            command = f'"{ENDS}" none -J "{path}" <&- >&- 2>&-'
            result = subprocess.run(["bash", "-c", command], check=False)
            self.assertEqual(result.returncode, 3)
            document = json.loads(pathlib.Path(path).read_text())
        self.assertIn("write to stdout failed: Bad file", document["run"]["message"])

    def test_a_reader_who_pages(self):
        """More than all pipes hold, read after every deadline, which is one that a busy machine keeps, too."""
        words = ("none", "-T", "2", "--print-bytes", "20000000")
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": launch.environment()}
        with subprocess.Popen([ENDS, *words], **pipes) as alone, \
                subprocess.Popen(launch.mpirun(2, ENDS, *words), **pipes) as ranks:
            time.sleep(3)
            for child in (alone, ranks):
                self.assertIsNone(child.poll())
                stdout, stderr = child.communicate(timeout=30)
                self.assertEqual((child.returncode, stderr, stdout.count(b".")), (0, b"", 20000000))

    def test_a_signal_while_a_reader_pages(self):
        with subprocess.Popen([ENDS, "none", "--blocks", "3", "--print-bytes", "1000000"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=launch.environment()) as child:
            while child.stdout.readline() != b"ready\n":
                pass
            time.sleep(0.5)
            child.terminate()
            child.wait(30)
            stderr = child.stderr.read().decode()
        self.assertEqual(child.returncode, 143)
        self.assertRegex(stderr, r"^ends: rank 0 on .* got SIGTERM in writing to stdout\n$")


class KilledOutright(unittest.TestCase):
    def test_the_rows_stay(self):
        for rank in (0, 1):
            outcome = run_and_signal(signal.SIGKILL, rank)
            self.assertNotEqual(outcome.status, 0)
            self.assertEqual(outcome.document["run"]["status"], "running")
            self.assertEqual(len(outcome.rows_aside), 2)
            for row in outcome.rows_aside:
                json.loads(row)


class SlowEnds(unittest.TestCase):
    """Ends after the 5 s that a rank waits for another one; all of them run at the same time."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ends-")
        cls.pool = concurrent.futures.ThreadPoolExecutor(16)
        start = cls.pool.submit
        cls.in_finalize = start(run, 2, "hang-in-finalize", "1")
        cls.alone = {r: start(run, 2, "user-error", str(r)) for r in (0, 1)}
        cls.rank0_stopped = start(run_and_signal, signal.SIGSTOP, 0, "-T", "1")
        if is_hydra():
            hosts = two_hosts(cls.folder.name)
            late = (make_script(cls.folder.name, "late", LATE),)
            cls.far_error = start(run, 2, "system-error", "1", launcher=hosts)
            cls.far_hang = start(run, 4, "hang", "3", "-T", "0.5", launcher=(*hosts, "-ppn", "2"))
            cls.far_late = start(run, 4, "none", "--start-timeout", "0.5", wrapper=late,
                                 launcher=(*hosts, "-ppn", "2"), env={"LATE_RANK": "3"})
            cls.far_signal = start(run_and_signal, signal.SIGTERM, "mpirun", launcher=hosts)

    @classmethod
    def tearDownClass(cls):
        cls.pool.shutdown()
        cls.folder.cleanup()

    def far(self, name):
        if not is_hydra():
            self.skipTest("requires hydra, to start two hosts on one")
        return getattr(type(self), name).result()

    def test_finalize_keeps_the_status_that_was_agreed(self):
        outcome = self.in_finalize.result()
        self.assertEqual(outcome.brief(), (4, 1, "complete", 4, 2), outcome.stderr)
        self.assertIn("no progress for 5 s in finalize", outcome.lines[0])

    def test_a_user_error_of_one_rank_ends_all(self):
        for rank, outcome in ((r, f.result()) for r, f in self.alone.items()):
            self.assertEqual(outcome.status, 2)
            self.assertEqual(outcome.document["run"]["status"], "error")
            self.assertIn("-z: no such thing", outcome.lines[0])
            self.assertIn("-z: no such thing", outcome.message())
            self.assertEqual(len(outcome.lines), 1, f"of rank {rank}: {outcome.stderr}")

    def test_a_stopped_rank_0_is_named_by_rank_1(self):
        outcome = self.rank0_stopped.result()
        self.assertEqual(outcome.brief(), (5, 1, "running", None, 0), outcome.stderr)
        self.assertRegex(outcome.lines[0], r"^ends: rank 1 .*; rank 0 \(pid \d+\) is stopped$")
        self.assertEqual(len(outcome.rows_aside), 2)

    def test_an_error_on_another_host(self):
        outcome = self.far("far_error")
        self.assertEqual(outcome.brief(), (3, 1, "running", None, 0), outcome.stderr)
        self.assertIn("rank 1 on ", outcome.lines[0])
        self.assertEqual(len(outcome.rows_aside), 2)

    def test_a_deadline_on_two_hosts_gives_one_line_each(self):
        outcome = self.far("far_hang")
        self.assertEqual(outcome.status, 5)
        self.assertEqual(outcome.document["run"]["status"], "timeout")
        self.assertEqual(sorted(line.split(" on ")[0] for line in outcome.lines),
                         ["ends: rank 0", "ends: rank 2"])

    def test_a_missing_rank_on_another_host(self):
        outcome = self.far("far_late")
        self.assertEqual(outcome.status, 5)
        self.assertEqual(len(outcome.lines), 2, outcome.stderr)
        self.assertIn("the others are not on this host, or have ended", outcome.stderr)
        self.assertRegex(outcome.stderr, r"1 of 4 ranks .*rank 3 \(pid \d+\) has not started")

    def test_a_signal_on_two_hosts(self):
        outcome = self.far("far_signal")
        self.assertEqual(outcome.brief(), (143, 1, "interrupted", 143, 2), outcome.stderr)


if __name__ == "__main__":
    unittest.main()
