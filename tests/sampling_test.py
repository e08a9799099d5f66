# SPDX-License-Identifier: Apache-2.0
# How operations are timed, flag by flag: what the header says, and what the file has.

import json
import pathlib
import tempfile
import unittest

import launch


def measure(*flags, ranks=2, program="all_reduce_perf"):
    """A short run: (its Result, its document)."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "out.json"
        result = launch.run_ranks(ranks, program, "-b", "8", "-e", "64", "-f", "8", *flags, "-J", file)
        return result, json.loads(file.read_text()) if file.exists() else None


class Aggregation(unittest.TestCase):
    def test_mean_and_maximum_are_kept_whatever_the_samples_are(self):
        for choice, name, others in (("0", "rank0", {"mean", "max"}), ("1", "mean", {"max"}),
                                     ("2", "min", {"mean", "max"}), ("3", "max", {"mean"})):
            with self.subTest(name):
                result, document = measure("-a", choice, "-n", "5", "--samples", "3")
                self.assertEqual(result.returncode, 0, result.output)
                self.assertEqual(document["config"]["aggregation"], name)
                row = document["rows"][0]
                self.assertEqual(row["aggregation"], name)
                kept = {key.split("_")[0] for key in row if key.endswith("over_ranks_us")}
                self.assertEqual(kept, others)

    def test_order_of_the_values(self):
        row = measure("-a", "2", "-n", "5", "--samples", "7")[1]["rows"][0]
        for low, middle, high in zip(row["samples_us"], row["mean_over_ranks_us"]["samples"],
                                     row["max_over_ranks_us"]["samples"]):
            self.assertLessEqual(low, middle)
            self.assertLessEqual(middle, high)

    def test_the_header_says_it(self):
        result, _ = measure("-a", "0", "-n", "1")
        self.assertIn("samples, each rank 0's time;", result.stdout)


class Isolated(unittest.TestCase):
    def test_each_operation_is_a_sample_of_its_own(self):
        for choice, mode in (("1", "isolated"), ("2", "isolated_unaligned"), ("3", "isolated")):
            with self.subTest(choice):
                result, document = measure("-z", choice, "-n", "30")
                self.assertEqual(result.returncode, 0, result.output)
                self.assertIn(f"# mode {mode}: each operation is timed alone", result.stdout)
                self.assertEqual(document["config"]["mode"], mode)
                for row in document["rows"]:
                    self.assertEqual(row["mode"], mode)
                    self.assertEqual(row["operations_per_sample"], 1)
                    self.assertEqual(len(row["samples_us"]), 30)
                    self.assertEqual("alignment_skew_us" in row, mode == "isolated")

    def test_skew_is_reported_where_ranks_share_a_clock(self):
        row = measure("-z", "1", "-n", "30")[1]["rows"][0]
        self.assertLessEqual(row["alignment_skew_us"]["median"], row["alignment_skew_us"]["max"])
        self.assertGreater(row["alignment_skew_us"]["max"], 0)
        self.assertNotIn("alignment_skew_us", measure("-z", "1", "-n", "3", ranks=1)[1]["rows"][0])


if __name__ == "__main__":
    unittest.main()
