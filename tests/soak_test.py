# SPDX-License-Identifier: Apache-2.0
# Soaks (--duration): cycles in the file, however the run ends.

import collections
import os
import pathlib
import re
import signal
import tempfile
import time
import unittest

import backends
import launch
from schema_test import load, problems

SWEEP = ("all_reduce_perf", "-b", "8", "-e", "64", "-f", "8", "-n", "1")
FAULTY = launch.BUILD / "tests/faulty_all_reduce"
ROWS = 4  # two sizes, each out of place and in place


class Soak(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "out.json"

    def check_cycles(self, document):
        """Every cycle but the last has all rows, in their order."""
        self.assertEqual(problems(document), [])
        self.assertEqual(len(document["rows"]), ROWS)
        rows = collections.defaultdict(list)
        for entry in document["cycles"]:
            rows[entry["cycle"]].append(entry["row"])
        self.assertEqual(list(rows), list(range(1, len(rows) + 1)))
        last = rows.pop(len(rows))
        self.assertEqual(last, list(range(len(last))))
        self.assertTrue(all(of_cycle == list(range(ROWS)) for of_cycle in rows.values()))

    def test_repeats_the_sweep_until_the_time_is_over(self):
        result = launch.run_ranks(2, *SWEEP, "--duration", "2s", "-J", self.file)
        self.assertEqual(result.returncode, 0, result.output)
        document = load(self.file)
        self.check_cycles(document)
        self.assertEqual(document["config"]["duration_s"], 2)
        self.assertNotIn("cycle", document["rows"][0])
        for row, entry in zip(document["rows"], document["cycles"]):
            self.assertEqual(entry["median_us"], row["time_us"]["median"])
            self.assertEqual(entry["wrong_elements"], 0)
        begun = document["cycles"][-1]["cycle"]
        self.assertEqual(document["summary"]["cycles"]["begun"], begun)
        self.assertIn(f"# Cycles begun         : {begun}\n", result.stdout)
        self.assertRegex(result.stdout, r"# Peak bus bandwidth   : \S+ at \d+ B .*, in the first cycle\n")
        shown = launch.run_program("collbench", "show", self.file)
        self.assertEqual(shown.returncode, 0, shown.output)
        self.assertIn("  fastest  slowest  #wrong\n", shown.stdout)
        self.assertIn(f"# Cycles begun         : {begun}\n", shown.stdout)
        self.assertIn(f"valid, {ROWS} rows, {begun} cycle",
                      launch.run_program("collbench", "validate", self.file).stdout)

    def wait_for_cycle(self, cycle):
        """Until FILE.rows has a line of it."""
        rows = self.file.with_name("out.json.rows")
        deadline = time.monotonic() + 60
        while not (rows.exists() and f'"cycle":{cycle}' in rows.read_text()):
            self.assertLess(time.monotonic(), deadline, f"no cycle {cycle}")
            time.sleep(0.02)

    @backends.only_on("mpi", "nccl")  # mpirun that is signalled gives no status of a single process
    def test_a_signal_leaves_all_cycles_in_the_file(self):
        with launch.start_ranks(2, *SWEEP, "--duration", "1h", "-J", self.file) as run:
            self.wait_for_cycle(3)
            os.kill(run.pid, signal.SIGINT)
            self.assertEqual(run.wait().returncode, 130)
        document = load(self.file)
        self.assertEqual(document["run"]["status"], "interrupted")
        self.check_cycles(document)
        self.assertGreaterEqual(document["cycles"][-1]["cycle"], 3)
        self.assertFalse(self.file.with_name("out.json.rows").exists())

    def test_after_sigkill_the_cycles_so_far_are_read(self):
        with launch.start_ranks(2, *SWEEP, "--duration", "1h", "-J", self.file) as run:
            self.wait_for_cycle(3)
            for pid in [run.pid, *(rank["pid"] for rank in load(self.file)["environment"]["ranks"])]:
                os.kill(pid, signal.SIGKILL)
        self.assertEqual(load(self.file)["run"]["status"], "running")
        shown = launch.run_program("collbench", "show", self.file)
        self.assertEqual(shown.returncode, 0, shown.output)
        self.assertEqual(len(re.findall("^ +(?:8|64) ", shown.stdout, re.MULTILINE)), ROWS / 2)
        self.assertGreaterEqual(int(re.search(r"# Cycles begun +: (\d+)\n", shown.stdout)[1]), 3)
        self.assertIn("# Collective test incomplete: all_reduce_perf: the run was killed", shown.stdout)
        self.assertIn("incomplete", launch.run_program("collbench", "validate", self.file).stdout)

    def test_wrong_data_in_a_later_cycle_is_named_and_ends_with_4(self):
        fault = self.file.with_name("fault")
        flags = [*SWEEP[1:], "--duration", "3s", "-J", self.file]
        with launch.start_ranks(2, FAULTY, *flags, env={"FAULTY_FROM": str(fault)}) as run:
            self.wait_for_cycle(2)
            fault.touch()
            result = run.wait()
        self.assertEqual(result.returncode, 4, result.output)
        document = load(self.file)
        self.check_cycles(document)
        self.assertEqual(document["run"]["status"], "complete")
        self.assertTrue(all(row["status"] == "ok" for row in document["rows"]))
        wrong = [entry for entry in document["cycles"] if entry["status"] == "wrong"]
        self.assertEqual(document["summary"]["cycles"]["wrong"], len(wrong))
        self.assertGreater(wrong[0]["cycle"], 1)
        self.assertIn(f"# Out of bounds values : {len(wrong)} FAILED\n", result.stdout)
        line = f"# Wrong data over all cycles: {len(wrong)}, the first in cycle {wrong[0]['cycle']}, row "
        self.assertIn(line, result.stdout)
        self.assertIn(line, launch.run_program("collbench", "show", self.file).stdout)

    def test_groups_of_ranks_soak_side_by_side(self):
        result = launch.run_ranks(2, *SWEEP, "--split", "MOD 2", "--duration", "1s", "-J", self.file)
        self.assertEqual(result.returncode, 0, result.output)
        document = load(self.file)
        self.assertEqual(problems(document), [])
        self.assertEqual([row["group"]["index"] for row in document["rows"]], [0, 1] * ROWS)
        begun = document["summary"]["cycles"]["begun"]
        counts = collections.Counter(entry["row"] for entry in document["cycles"])
        self.assertEqual(sorted(counts), list(range(2 * ROWS)))
        self.assertTrue(all(begun - 1 <= count <= begun for count in counts.values()))

    def test_thresholds_are_judged_over_all_cycles(self):
        result = launch.run_ranks(2, *SWEEP, "--duration", "1s", "--min-busbw", "8=1e-9", "-J", self.file)
        self.assertEqual(result.returncode, 0, result.output)
        document = load(self.file)
        slowest_us = {}
        for entry in document["cycles"]:
            slowest_us[entry["row"]] = max(slowest_us.get(entry["row"], 0), entry["median_us"])
        self.assertLessEqual(document["summary"]["cycles"]["begun"], 64, "each cycle counts for itself")
        expected = min(row["busbw_GBps"] * row["time_us"]["median"] / slowest_us[index]
                       for index, row in enumerate(document["rows"]) if row["requested_bytes"] == 8)
        found = document["summary"]["verdicts"][0]["busbw_GBps"]
        self.assertAlmostEqual(found / expected, 1, places=5)  # of numbers that files round

    def test_what_cannot_be_meant_is_refused(self):
        for flags in (["0"], ["abc"], ["2"], ["2s", "-N", "3"]):
            with self.subTest(flags):
                result = launch.run_ranks(1, *SWEEP, "--duration", *flags, "-J", self.file)
                self.assertEqual(result.returncode, 2, result.output)
                self.assertIn("--duration", result.stderr)
                self.assertFalse(self.file.exists())


if __name__ == "__main__":
    unittest.main()
