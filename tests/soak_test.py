# SPDX-License-Identifier: Apache-2.0
# Soaks (--duration): cycles in the file, however the run ends.

import collections
import os
import pathlib
import signal
import tempfile
import time
import unittest

import launch
from schema_test import load, problems

SWEEP = ("all_reduce_perf", "-b", "8", "-e", "64", "-f", "8", "-n", "1")
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
        shown = launch.run_program("collbench", "show", self.file)
        self.assertEqual(shown.returncode, 0, shown.output)
        self.assertIn("  fastest  slowest  #wrong\n", shown.stdout)
        self.assertIn(f"# Cycles begun         : {begun}\n", shown.stdout)
        self.assertIn(f"valid, {ROWS} rows, {begun} cycle",
                      launch.run_program("collbench", "validate", self.file).stdout)

    def interrupt_in_third_cycle(self):
        """Sends SIGINT once FILE.rows has a line of the third cycle."""
        rows = self.file.with_name("out.json.rows")
        with launch.start_ranks(2, *SWEEP, "--duration", "1h", "-J", self.file) as run:
            deadline = time.monotonic() + 60
            while not (rows.exists() and '"cycle":3' in rows.read_text()):
                self.assertLess(time.monotonic(), deadline, "no third cycle")
                time.sleep(0.05)
            os.kill(run.pid, signal.SIGINT)
            return run.wait()

    def test_a_signal_leaves_all_cycles_in_the_file(self):
        self.assertEqual(self.interrupt_in_third_cycle().returncode, 130)
        document = load(self.file)
        self.assertEqual(document["run"]["status"], "interrupted")
        self.check_cycles(document)
        self.assertGreaterEqual(document["cycles"][-1]["cycle"], 3)
        self.assertFalse(self.file.with_name("out.json.rows").exists())

    def test_what_cannot_be_meant_is_refused(self):
        for flags in (["0"], ["abc"], ["2"], ["2s", "-N", "3"]):
            with self.subTest(flags):
                result = launch.run_ranks(1, *SWEEP, "--duration", *flags, "-J", self.file)
                self.assertEqual(result.returncode, 2, result.output)
                self.assertIn("--duration", result.stderr)
                self.assertFalse(self.file.exists())


if __name__ == "__main__":
    unittest.main()
