# SPDX-License-Identifier: Apache-2.0
# comm_init_perf end to end: its rows, what reads them, and what it refuses.
import json
import pathlib
import tempfile
import unittest

import documented
import launch
import nccl_runs

SHORT = ("-n", 2)
ROWS = [("comm_init", "first"), ("all_reduce", "first"), ("comm_init", "repeated"), ("all_reduce", "cold"),
        ("all_reduce", "warm"), ("comm_split", "repeated"), ("comm_shrink", "repeated"), ("comm_destroy", "repeated")]


def names(rows):
    return [(row["collective"], row["mode"]) for row in rows]


class CommInit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "out.json"

    def measure(self, ranks, *flags):
        result = launch.run_ranks(ranks, "comm_init_perf", *SHORT, *flags, "-J", self.file, "--force")
        self.assertEqual(result.returncode, 0, result.output)
        return json.loads(self.file.read_text()), result

    def check_row(self, row, ranks):
        """Of what every row that is measured must have."""
        self.assertEqual(row["status"], "ok")
        self.assertEqual(len(row["samples_us"]), 1 if row["mode"] == "first" else 2)
        self.assertEqual(len(row["per_rank"]["median_us"]), ranks)
        self.assertGreater(row["time_us"]["median"], 0)
        self.assertEqual("check" in row, row["collective"] == "all_reduce")
        if row["collective"] != "all_reduce":
            self.assertEqual((row["message_bytes"], row["count"], row["algbw_GBps"]), (0, 0, None))

    def test_rows_of_hosts(self):
        for ranks in launch.rank_counts():
            with self.subTest(ranks=ranks):
                document, _ = self.measure(ranks, "--backend", "mpi")
                self.assertEqual(names(document["rows"]), ROWS)
                for row in document["rows"]:
                    if row["collective"] == "comm_shrink":
                        self.assertEqual(row["status"], "skipped")
                    else:
                        self.check_row(row, ranks)

    @nccl_runs.needs_fakes
    def test_rows_of_gpus(self):
        for way, ranks in ((nccl_runs.PROCESSES, 1), (nccl_runs.THREADS, 3), (nccl_runs.BOTH, 4)):
            with self.subTest(way, ranks=ranks):
                end = nccl_runs.run(way, ranks, "comm_init_perf", *SHORT)
                self.assertEqual(end.status, 0, end)
                self.assertEqual(names(end.rows), ROWS)
                for row in end.rows:
                    if row["collective"] != "comm_shrink":
                        self.check_row(row, ranks)
                    elif ranks == 1:
                        self.assertEqual(row["status"], "skipped")
                    else:
                        self.assertEqual(row["ranks"], ranks - 1)
                        self.check_row(row, ranks - 1)

    @nccl_runs.needs_fakes
    def test_a_failure_of_nccl_ends_the_run(self):
        for fault in ("CommInitRank#2@1=err:5", "CommShrink#1@0=err:5"):
            with self.subTest(fault):
                end = nccl_runs.run(nccl_runs.PROCESSES, 2, "comm_init_perf", *SHORT, faults=fault)
                self.assertEqual(end.status, 3, end)

    def test_show_validate_and_compare_read_its_file(self):
        _, result = self.measure(2)
        shown = launch.run_program("collbench", "show", self.file)
        table = result.stdout[result.stdout.index("# Using devices"):].rstrip("\n")
        self.assertIn(table[table.index("# operation"):], shown.stdout)
        self.assertNotIn("in-place", shown.stdout)
        valid = launch.run_program("collbench", "validate", self.file)
        self.assertEqual((valid.returncode, valid.stdout.count("8 rows")), (0, 1), valid.output)
        compared = launch.run_program("collbench", "compare", self.file, "--", self.file)
        self.assertEqual(compared.returncode, 6, compared.output)  # a run says nothing of itself
        self.assertIn("comm_split", launch.run_program("collbench", "convert", "--to", "csv", self.file).stdout)

    def test_size_and_check_are_those_asked_for(self):
        document, _ = self.measure(2, "-b", "1K", "-c", "0")
        operations = [row for row in document["rows"] if row["collective"] == "all_reduce"]
        self.assertEqual({row["message_bytes"] for row in operations}, {1024})
        self.assertFalse(any("check" in row for row in operations))

    def test_refuses_what_it_cannot_do(self):
        for flags, words in ((("-b", "2"), "-b 2"), (("-e", "8"), "-e"), (("-b", "1P"), "-b: ")):
            with self.subTest(flags):
                result = launch.run_ranks(2, "comm_init_perf", *flags)
                self.assertEqual(result.returncode, 2, result.output)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn(words, result.stderr)

    def test_its_page_prints_what_it_says(self):
        documented.check_page(self, "communicators.md", self.folder)


if __name__ == "__main__":
    unittest.main()
