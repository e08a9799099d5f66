# SPDX-License-Identifier: Apache-2.0
# How runs on GPUs end when something breaks: every fault of the fake NCCL, wherever a run may be.

import json
import os
import pathlib
import re
import signal
import tempfile
import time
import unittest

import launch
from ends import make_script
from nccl_runs import BOTH, PROCESSES, THREADS, Case, LeavesNothing, command, environment, left_behind, \
    needs_fakes, run, run_all, shared_memory

# One placement is 18 calls: 2 to warm up, 3 samples of 5, and one for the data check.
SWEEP = ("-b", 8, "-e", 64, "-f", 8, "-n", 5, "-w", 2, "--samples", 3)
ROWS = 4
SMALL = r"all_reduce 8 B float out of place, block \d+"
LARGE = r"all_reduce 64 B float out of place, block \d+"
# Which call: (where a run is then, its rows so far).
CALLS = {
    1: (SMALL, 0),
    9: (SMALL, 0),
    18: ("all_reduce 8 B float out of place, data check", 0),
    45: (LARGE, 2),
    72: ("all_reduce 64 B float in place, data check", 3),
}
PATIENT = ("-T", 60)
IMPATIENT = ("-T", 2, "--start-timeout", 4)
WAYS = ((PROCESSES, 2), (THREADS, 2))


@needs_fakes
class Faults(LeavesNothing):
    def ended(self, end, status, in_file, rows):
        """The status, also in the file, which is whole; at most one line on stderr, the file's."""
        self.assertFalse(end.timed_out, end)
        self.assertEqual(end.status, status, end)
        self.whole_file(end, status, in_file, rows)
        message = end.run.get("message")
        self.assertEqual(end.stderr, f"{end.case.program}: {message}\n" if message else "", end)

    def whole_file(self, end, status, in_file, rows):
        self.assertEqual((end.run.get("status"), end.run.get("exit_status")), (in_file, status), end)
        self.assertEqual(len(end.rows), rows, end)
        # Of processes that give up together, the first to end may have mpirun kill this one before its rows are gone.
        self.assertIn(end.rows_aside, (None, []) if in_file == "timeout" and not rows else (None,), end)
        self.assertEqual(end.validated.returncode, 0, end.validated.output)

    def broken_off(self, end, rows):
        """The launcher says what it likes, also by its status, and the rows so far are there; unless another rank says
        first that NCCL has noticed."""
        self.assertFalse(end.timed_out, end)
        self.assertNotEqual(end.status, 0, end)
        if end.run["status"] == "error":
            self.assertRegex(end.run["message"], r"ncclRemoteError \(6\)|ncclSystemError \(2\)")
            self.whole_file(end, 3, "error", rows)
            self.assertEqual(end.stderr.count(end.run["message"]), 1, end)
            return
        self.assertEqual((end.run["status"], len(end.rows_aside)), ("running", rows), end)
        self.assertIn(f"incomplete, {rows} row", end.validated.output)
        self.assertLessEqual(end.stderr.count("all_reduce_perf: "), 1, end)

    def each(self, cases, check):
        for end in run_all(cases):
            with self.subTest(str(end.case)):
                check(end)

    def test_errors(self):
        # What comes behind the rank's back it finds while it waits, or at its next call.
        texts = {"async:6": r"(NCCL reports|ncclAllReduce failed with) ncclRemoteError \(6\): .*",
                 "err:3": r"ncclAllReduce failed with ncclInternalError \(3\): internal error"}
        for fault, text in texts.items():
            for call, (where, rows) in CALLS.items():
                cases = [Case(way, ranks, "all_reduce_perf", (*SWEEP, *PATIENT), f"AllReduce#{call}@1={fault}")
                         for way, ranks in WAYS]

                def check(end, where=where, rows=rows, text=text):
                    self.ended(end, 3, "error", rows)
                    self.assertRegex(end.run["message"], rf"^rank 1 on \S+ in {where}: {text}$")
                self.each(cases, check)

    def test_what_hangs_ends_at_its_deadline(self):
        def check(end):
            where, rows = CALLS[int(re.search(r"#(\d+)", end.case.faults)[1])]
            self.ended(end, 5, "timeout", rows)
            self.assertRegex(end.run["message"], rf"^rank [01] on \S+: no progress for 2 s in {where}$")
        self.each([Case(way, ranks, "all_reduce_perf", (*SWEEP, *IMPATIENT), f"AllReduce#{call}@1=hang")
                   for call in (9, 18, 45) for way, ranks in WAYS], check)

    def test_wrong_data_is_found_and_the_sweep_goes_on(self):
        def check(end):
            self.ended(end, 4, "complete", ROWS)
            self.assertEqual([row["status"] for row in end.rows], ["wrong", "ok", "ok", "wrong"])
            self.assertRegex(end.rows[3]["reason"], "rank 1, byte 0 of the result")
        self.each([Case(way, ranks, "all_reduce_perf", (*SWEEP, *PATIENT, *flags),
                        "AllReduce#18@0=corrupt;AllReduce#72@1=corrupt")
                   for way, ranks in WAYS for flags in ((), ("-c", "host"))], check)

    def test_a_late_rank_does_no_harm(self):
        self.each([Case(way, ranks, "all_reduce_perf", (*SWEEP, *PATIENT), "any#4@1=delay:100;AllReduce#18@0=delay:100")
                   for way, ranks in WAYS], lambda end: self.ended(end, 0, "complete", ROWS))

    def test_a_process_that_ends(self):
        cases = [Case(way, ranks, "all_reduce_perf", (*SWEEP, *PATIENT), f"AllReduce#{call}@{rank}={fault}", env)
                 for way, ranks in WAYS for rank in (0, 1) for call, fault, env in (
                     (9, "exit:7", {}), (45, "kill", {}), (45, "kill", {"FAKE_NCCL_SILENT_DEATH": "1"}))]
        self.each(cases, lambda end: self.broken_off(end, 2 if "#45" in end.case.faults else 0))

    def test_while_communicators_are_made(self):
        flags = ("-b", 8, "-e", 8, "-n", 5)
        split = (*flags, "--split", "DIV 2")
        ways = [(PROCESSES, 2, "CommInitRank", flags), (THREADS, 2, "CommInitRank", flags),
                (BOTH, 4, "CommInitRank", flags), (THREADS, 3, "CommSplit", split), (BOTH, 4, "CommSplit", split)]
        cases = [Case(way, ranks, "all_reduce_perf", (*more, *(IMPATIENT if fault == "hang" else PATIENT)),
                      f"{call}@1={fault}")
                 for way, ranks, call, more in ways for fault in ("err:2", "async:2", "hang", "kill", "exit:3")]

        def check(end):
            call, fault = re.match(r"(\w+)@1=(\w+)", end.case.faults).groups()
            if fault == "hang":
                self.ended(end, 5, "timeout", 0)
                self.assertRegex(end.run["message"], r"^rank \d on \S+: no progress for 4 s in set-up$")
            elif fault in ("kill", "exit"):
                self.broken_off(end, 0)
            else:
                self.ended(end, 3, "error", 0)
                self.assertRegex(end.run["message"], rf"^rank 1 on \S+ in set-up: nccl{call} failed with "
                                                     r"ncclSystemError \(2\): ")
        self.each(cases, check)

    def test_sends_and_receives(self):
        flags = ("-b", "1K", "-e", "1K", "-n", 5, "-w", 1)
        cases = [Case(way, ranks, "alltoall_perf", (*flags, *more), fault) for way, ranks in WAYS for fault, more in (
            ("Send#9@1=err:4", PATIENT), ("Recv#9@1=async:1", PATIENT), ("Recv#9@0=hang", IMPATIENT))]

        def check(end):
            if "hang" in end.case.faults:
                self.ended(end, 5, "timeout", 0)
            else:
                self.ended(end, 3, "error", 0)
                self.assertRegex(end.run["message"], r"^rank 1 on .* in alltoall 1 KiB float out of place, block \d+: "
                                                     r"(nccl\w+ failed with|NCCL reports) "
                                                     r"(ncclInvalidArgument \(4\)|ncclUnhandledCudaError \(1\)): ")
        self.each(cases, check)


ONE_RANK_DIFFERS = """#!/bin/bash
[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 ] && export %s
exec "$@"
"""


@needs_fakes
class WhatIsNotThere(LeavesNothing):
    """Found before NCCL starts: one sentence, the same wherever it is found."""

    FLAGS = ("-b", 8, "-e", 8, "-n", 5, *PATIENT)

    def refused(self, end, status, text):
        self.assertEqual(end.status, status, end)
        self.assertRegex(end.stderr, rf"^all_reduce_perf: {text}.*\n$")
        self.assertEqual(end.stderr.count("\n"), 1, end)

    def test_no_gpu(self):
        reasons = {35: "no CUDA driver, or one too old for CUDA",
                   34: "the CUDA driver that was found is the toolkit's stub",
                   100: "no CUDA device: ", 999: r"cudaGetDeviceCount failed with cudaErrorUnknown"}
        for code, reason in reasons.items():
            with self.subTest(code):
                env = {"FAKE_CUDA_NONE": str(code)}
                self.refused(run(PROCESSES, 2, "all_reduce_perf", *self.FLAGS, env=env), 3,
                             f"--backend nccl is not available on .*: .*{reason}")
                auto = launch.run_ranks(2, "all_reduce_perf", *self.FLAGS, env=launch.on_fakes(env))
                self.assertEqual(auto.returncode, 0, auto.output)
                self.assertRegex(auto.stdout, f"# backend mpi: nccl is not available: .*{reason}")

    def test_too_few_gpus(self):
        for way, ranks in ((PROCESSES, 3), (THREADS, 3), (BOTH, 4)):
            with self.subTest(way):
                end = run(way, ranks, "all_reduce_perf", *self.FLAGS, env={"FAKE_CUDA_DEVICES": "2"})
                self.refused(end, 3, f"ranks 0 and 2 on .* there are {ranks} ranks on this host, and a process sees 2 "
                                     "GPUs")

    def run_where_rank1_has(self, variable, *flags):
        with tempfile.TemporaryDirectory() as folder:
            wrapper = make_script(folder, "wrapper.sh", ONE_RANK_DIFFERS % variable)
            child = launch.mpirun(2, wrapper, launch.program_path("all_reduce_perf"), *self.FLAGS, *flags)
            with launch.start(*child, env=launch.on_fakes()) as running:
                return running.wait(60)

    def test_another_nccl_on_one_rank(self):
        result = self.run_where_rank1_has("FAKE_NCCL_VERSION=22703", "--backend", "nccl")
        self.assertEqual(result.returncode, 3, result.output)
        self.assertRegex(result.stderr, r"^all_reduce_perf: rank 0 on \S+ has NCCL 2\.\d+\.\d+ and rank 1 on \S+ has "
                                        r"NCCL 2\.27\.3: .*\n$")

    def test_no_gpu_for_one_rank(self):
        for flags in (("--backend", "nccl"), ()):
            with self.subTest(flags):
                result = self.run_where_rank1_has("FAKE_CUDA_NONE=100", *flags)
                self.assertEqual(result.returncode, 3, result.output)
                self.assertRegex(result.stderr, r"^all_reduce_perf: .*no CUDA device.*\n$")
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_a_rank_that_never_makes_its_communicator(self):
        end = run(PROCESSES, 2, "all_reduce_perf", "-b", 8, "-e", 8, *IMPATIENT, faults="CommInitRank@1=delay:60000")
        self.refused(end, 5, r"rank [01] on \S+: no progress for 4 s in set-up")
        self.assertEqual(end.run["status"], "timeout")

    def test_too_little_memory(self):
        for way, ranks in WAYS:
            with self.subTest(way):
                end = run(way, ranks, "all_reduce_perf", "-b", "1G", "-e", "1G", "-n", 5,
                          env={"FAKE_CUDA_MEMORY": str(256 << 20)})
                self.refused(end, 2, r"-e: messages of 1 GiB need two such buffers per rank, but rank \d can have "
                                     r"[\d.]+ MiB")
                self.assertNotIn(" float ", end.stdout)


@needs_fakes
class Killed(unittest.TestCase):
    """By SIGKILL, of a rank or of mpirun, while the run measures."""

    def test_nothing_is_left(self):
        for way, ranks in WAYS:
            for whom in ("rank", "mpirun"):
                with self.subTest(f"{whom}, {way}"), tempfile.TemporaryDirectory() as folder:
                    self.kill(Case(way, ranks, "all_reduce_perf", (*SWEEP, "--duration", "1h", *PATIENT)), whom,
                              pathlib.Path(folder) / "result.json")

    def kill(self, case, whom, path):
        before = shared_memory()
        rows = pathlib.Path(f"{path}.rows")
        with launch.start(*command(case, path), env=environment(case)) as running:
            deadline = time.monotonic() + 60
            while not (rows.exists() and len(rows.read_text().splitlines()) >= ROWS):
                self.assertLess(time.monotonic(), deadline, running.output())
                time.sleep(0.02)
            pids = {rank["pid"] for rank in json.loads(path.read_text())["environment"]["ranks"]}
            os.kill(running.pid if whom == "mpirun" else max(pids), signal.SIGKILL)
            result = running.wait(60)
            self.assertFalse(result.timed_out)
            for pid in pids:
                self.assertTrue(gone(pid, deadline), f"process {pid} goes on")
        self.assertEqual(json.loads(path.read_text())["run"]["status"], "running")
        self.assertIn("incomplete, ", launch.run_program("collbench", "validate", path).output)
        self.assertEqual(left_behind(before), set())


def gone(pid, deadline):
    while time.monotonic() < deadline:
        try:
            if pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


if __name__ == "__main__":
    unittest.main()
