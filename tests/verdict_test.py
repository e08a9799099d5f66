# SPDX-License-Identifier: Apache-2.0
# Thresholds on bus bandwidth: the table, the file and the exit status say the same.
import json
import pathlib
import tempfile
import unittest

from launch import run_program, run_ranks

ROWS = ("-b", "8", "-e", "1K", "-f", "128", "-n", "2")
EASY, HARD = "0.000000001", "1000000"  # GB/s that any machine reaches, and none


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "run.json"

    def run_judged(self, ranks, *flags, average=None):
        """Returns (Result, judgements of the file in order)."""
        env = {} if average is None else {"NCCL_TESTS_MIN_BW": average}
        result = run_ranks(ranks, "all_reduce_perf", *ROWS, *flags, "-J", self.path, "--force", env=env)
        document = json.loads(self.path.read_text())
        self.assertEqual(document["run"]["status"], "complete")
        self.assertEqual(document["run"]["exit_status"], result.returncode)
        verdicts = document["summary"].get("verdicts", [])
        return result, [verdict["judgement"] for verdict in verdicts]

    def test_the_average_as_nccl_tests_judges_it(self):
        result, judgements = self.run_judged(2, average=EASY)
        self.assertEqual((result.returncode, judgements), (0, ["met"]), result.output)
        self.assertRegex(result.stdout, r"\n# Avg bus bandwidth    : \S+ OK\n")
        result, judgements = self.run_judged(2, average=HARD)
        self.assertEqual((result.returncode, judgements), (1, ["not_met"]), result.output)
        self.assertRegex(result.stdout, r"\n# Avg bus bandwidth    : \S+ FAILED\n"
                                        r"# NCCL_TESTS_MIN_BW is 1e\+06 GB/s, less 10 %: .* 900000 GB/s\n")

    def test_each_size_by_its_own_threshold(self):
        result, judgements = self.run_judged(2, "--min-busbw", f"1K={HARD},8={EASY}")
        self.assertEqual((result.returncode, judgements), (1, ["not_met", "met"]), result.output)
        self.assertRegex(result.stdout, r"# Min bus bandwidth    : \S+ of at least 1e\+06 at 1024 B FAILED\n"
                                        r"# Min bus bandwidth    : \S+ of at least 1e-09 at 8 B OK\n")

    def test_one_rank_is_not_judged_silently(self):
        result, judgements = self.run_judged(1, "--min-busbw", f"8={EASY}", average=EASY)
        self.assertEqual((result.returncode, judgements), (6, ["inconclusive"] * 2), result.output)
        self.assertIn("# Avg bus bandwidth    : N/A (1 rank) INCONCLUSIVE\n", result.stdout)

    def test_show_repeats_the_verdict(self):
        self.run_judged(2, average=HARD)
        shown = run_program("collbench", "show", self.path)
        self.assertRegex(shown.stdout, r"# Avg bus bandwidth    : \S+ FAILED\n# NCCL_TESTS_MIN_BW is ")

    def test_a_threshold_that_is_none_is_refused_before_anything_is_measured(self):
        for value in ("", "0", "-1", "garbage", "nan", "inf", "10GB"):
            with self.subTest(value=value):
                result = run_ranks(2, "all_reduce_perf", *ROWS, "-J", self.path,
                                   env={"NCCL_TESTS_MIN_BW": value})
                self.assertEqual(result.returncode, 2, result.output)
                self.assertEqual(result.stdout, "")
                self.assertEqual(result.stderr, f"all_reduce_perf: NCCL_TESTS_MIN_BW: '{value}' is not "
                                                "a positive number of GB/s\n")
                self.assertFalse(self.path.exists())

    def test_a_size_that_the_sweep_lacks_is_refused(self):
        result = run_ranks(2, "all_reduce_perf", *ROWS, "--min-busbw", "16=1")
        self.assertEqual(result.returncode, 2, result.output)
        self.assertIn("16 B is no size of this sweep", result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
