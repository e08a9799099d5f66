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


class HowOperationsAreTimed(unittest.TestCase):
    def test_grouped_and_unaligned_operations_are_right_and_say_what_they_are(self):
        for program in ("all_reduce_perf", "all_gather_perf", "hypercube_perf"):
            with self.subTest(program):
                result, document = measure("-m", "3", "-u", "1", "-n", "4", program=program)
                self.assertEqual(result.returncode, 0, result.output)
                self.assertIn(" agg iters: 3 validation: 1 graph: 0 unalign: 1\n", result.stdout)
                row = next(row for row in document["rows"] if row["status"] == "ok")
                self.assertEqual((row["grouped_operations"], row["offset_elements"]), (3, 1))
                self.assertEqual(row["operations_per_sample"], 12)

    def test_enqueue_time_is_shown_and_kept_and_bandwidth_is_of_the_whole_time(self):
        result, document = measure("-C", "1", "-n", "4", "-c", "0")
        self.assertIn("  cputime   algbw", result.stdout)
        for row in document["rows"]:
            self.assertLessEqual(row["enqueue_us"]["median"], row["time_us"]["median"])
            by_time = row["message_bytes"] / row["time_us"]["median"] / 1e3  # of a rounded time
            self.assertAlmostEqual(row["algbw_GBps"] / by_time, 1, places=5)

    def test_single_iterations_have_columns_and_leave_the_samples_alone(self):
        result, document = measure("-I", "1", "-K", "2", "-n", "12")
        self.assertIn("i_min    i_max    i_p99    i_cv%", result.stdout)
        self.assertEqual(document["config"]["skipped_iterations"], 2)
        for row in document["rows"]:
            iterations = row["iterations_us"]
            self.assertEqual((iterations["skipped"], len(iterations["samples"])), (2, 12))
            self.assertEqual(iterations["max"], max(iterations["samples"][2:]))
            self.assertEqual(len(row["samples_us"]), 1)

    def test_cycles_repeat_the_sweep(self):
        result, document = measure("-N", "2", "-n", "1")
        self.assertEqual(result.returncode, 0, result.output)
        self.assertEqual([row["cycle"] for row in document["rows"]], [1] * 4 + [2] * 4)
        self.assertEqual(document["config"]["cycles"], 2)
        self.assertNotIn("cycle", measure("-n", "1")[1]["rows"][0])


if __name__ == "__main__":
    unittest.main()
