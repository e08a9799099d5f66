# SPDX-License-Identifier: Apache-2.0
# Groups of ranks end to end: which ranks are together, what each group's rows say, what is refused.
import json
import pathlib
import tempfile
import unittest

import launch
from launch import run_ranks

QUICK = ("-n", "2", "-w", "1", "-b", "1K", "-e", "1K")


def groups_of(document):
    """The ranks of each group, as the devices tell."""
    groups = {}
    for rank in document["environment"]["ranks"]:
        groups.setdefault(rank["group"], []).append(rank["rank"])
    return [groups[index] for index in sorted(groups)]


def data_rows(stdout):
    """The lines of numbers, each behind the name of its group."""
    rows, group = [], None
    for line in stdout.splitlines():
        if line.startswith("# group "):
            group = int(line.split()[2])
        elif line and not line.startswith("#"):
            rows.append((group, line.split()))
    return rows


class Groups(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def measure(self, ranks, program, *flags, env=None):
        path = self.folder / "out.json"
        result = run_ranks(ranks, program, *QUICK, "--wait", "yield", "-J", str(path), "--force",
                           *flags, env=env)
        self.assertEqual(result.returncode, 0, result.output)
        return json.loads(path.read_text()), result

    def check_file(self, document, rule, groups):
        """Every group has its own rows, which say so, and no average with others."""
        self.assertEqual(document["config"]["split"], rule)
        self.assertEqual(groups_of(document), groups)
        for row in document["rows"]:
            group = row["group"]
            self.assertEqual((group["rule"], group["count"]), (rule, len(groups)))
            size = len(groups[group["index"]])
            self.assertEqual(row["ranks"], size)
            self.assertEqual(row["status"], "ok", row)
            self.assertEqual(len(row["per_rank"]["median_us"]), size)
            self.assertEqual(row["check"]["checked_elements"], row["count"] * size)
            self.assertEqual(row["busbw_GBps"] is None, size == 1)
        indices = [row["group"]["index"] for row in document["rows"]]
        self.assertEqual(sorted(indices), sorted(2 * list(range(len(groups)))))  # two placements
        self.assertNotIn("mean_busbw_GBps", document["summary"])
        for summary, group in zip(document["summary"]["groups"], groups, strict=True):
            self.assertEqual(summary["rows"], 2)
            rates = [row["busbw_GBps"] for row in document["rows"]
                     if row["group"]["index"] == summary["group"]]
            if len(group) == 1:
                self.assertIsNone(summary["mean_busbw_GBps"])
            else:
                self.assertAlmostEqual(summary["mean_busbw_GBps"] * 2, sum(rates))

    def test_ranks_of_one_colour_are_a_group(self):
        cases = (
            (2, "MOD 2", [[0], [1]]),  # each alone
            (3, "MOD 2", [[0, 2], [1]]),
            (4, "MOD 2", [[0, 2], [1, 3]]),
            (4, "DIV 2", [[0, 1], [2, 3]]),
            (3, "AND 0", [[0, 1, 2]]),  # one group
            (4, "OR 1", [[0, 1], [2, 3]]),
        )
        for ranks, rule, groups in cases:
            with self.subTest(ranks=ranks, rule=rule):
                document, result = self.measure(ranks, "all_reduce_perf", "--split", rule)
                self.check_file(document, rule, groups)
                self.assertEqual([group for group, _ in data_rows(result.stdout)],
                                 list(range(len(groups))))
                for index, group in enumerate(groups):
                    self.assertIn(f"Group {index:2}: ranks {', '.join(map(str, group))}\n",
                                  result.stdout)
                self.assertEqual(result.stdout.count("# Avg bus bandwidth"), len(groups))

    def test_variables_of_nccl_tests(self):
        mod3 = {"NCCL_TESTS_SPLIT": "MOD 3"}
        mask = mod3 | {"NCCL_TESTS_SPLIT_MASK": "0x1"}
        document, _ = self.measure(3, "all_gather_perf", env=mod3)
        self.assertEqual(groups_of(document), [[0], [1], [2]])
        document, _ = self.measure(3, "all_reduce_perf", env=mask)
        self.check_file(document, "AND 1", [[0, 2], [1]])
        document, _ = self.measure(3, "all_reduce_perf", "--split", "DIV 2", env=mask)
        self.check_file(document, "DIV 2", [[0, 1], [2]])

    def test_show_prints_the_table_of_the_run(self):
        _, result = self.measure(3, "all_reduce_perf", "--split", "MOD 2")
        shown = launch.run_program("collbench", "show", self.folder / "out.json")
        self.assertEqual(shown.returncode, 0, shown.output)
        table = result.stdout[result.stdout.index("# Using devices"):].rstrip("\n")
        self.assertIn(table, shown.stdout)
        valid = launch.run_program("collbench", "validate", self.folder / "out.json")
        self.assertEqual((valid.returncode, valid.stdout.count("4 rows")), (0, 1), valid.output)

    def test_a_group_idles_where_it_cannot_measure_what_others_can(self):
        # 16 B are a block of one rank, and too few for two; 96 B are rounded to 96 and to 96.
        path = self.folder / "idle.json"
        result = run_ranks(3, "all_gather_perf", "-n", "2", "-w", "1", "-b", "16", "-e", "112", "-i",
                           "16", "--split", "MOD 2", "--wait", "yield", "-J", str(path))
        self.assertEqual(result.returncode, 0, result.output)
        rows = [row for row in json.loads(path.read_text())["rows"] if not row["in_place"]]
        status = {index: [row["status"] for row in rows if row["group"]["index"] == index]
                  for index in (0, 1)}
        self.assertEqual(status[1], ["ok"] * 7)  # of one rank
        self.assertEqual(status[0], ["skipped", "ok", "skipped", "ok", "skipped", "ok", "skipped"])
        self.assertTrue(all(row["reason"] for row in rows if row["status"] == "skipped"))

    def test_what_only_some_groups_can_run_is_skipped_by_the_others(self):
        for program, flags, groups in (("hypercube_perf", (), [3, 1]),
                                       ("broadcast_perf", ("-r", "1"), [1, 3]),
                                       ("broadcast_perf", ("-r", "all"), [3, 1])):
            rule = "DIV 3" if groups == [3, 1] else "OR 2"
            with self.subTest(program=program, flags=flags):
                self.check_skips(program, flags, rule)

    def check_skips(self, program, flags, rule):
        document, _ = self.measure(4, program, "--split", rule, *flags)
        for row in document["rows"]:
            if program == "hypercube_perf":
                can = row["ranks"] != 3
            else:
                can = row["root"] < row["ranks"]
            self.assertEqual(row["status"], "ok" if can else "skipped", row)
            if not can:
                self.assertRegex(row["reason"], "power of two|has no rank")

    def test_where_none_can_measure_each_says_why(self):
        result = run_ranks(4, "all_gather_perf", "--split", "DIV 3", "-b", "8", "-e", "8")
        self.assertEqual(result.returncode, 2, result.output)
        why = "8 B is too small: blocks are multiples of 16 B, so that"
        self.assertEqual(result.stderr, "all_gather_perf: nothing of this run can be measured: "
                                        f"{why} 3 ranks need 48 B; {why} 1 rank needs 16 B\n")

    def test_traffic_matrices_are_of_a_group(self):
        document, _ = self.measure(4, "alltoallv_perf", "--split", "DIV 2", "--matrix", "zipf:1.2")
        rows = [row for row in document["rows"] if not row["in_place"]]
        self.assertEqual([(row["status"], row["ranks"]) for row in rows], [("ok", 2), ("ok", 2)])
        self.assertEqual(len({row["matrix"] for row in rows}), 1)

    def test_a_root_that_no_group_has_is_refused(self):
        result = run_ranks(4, "broadcast_perf", *QUICK, "-r", "2", "--split", "MOD 2")
        self.assertEqual(result.returncode, 2, result.output)
        self.assertIn("-r 2: no group has such a rank; give one from 0 to 1, or all", result.stderr)

    def test_dry_run_shows_the_groups(self):
        result = run_ranks(3, "all_gather_perf", "-b", "64", "-e", "64", "--dry-run", "--split",
                           "MOD 2")
        self.assertEqual(result.returncode, 0, result.output)
        self.assertIn("# group 0 of 2 by MOD 2: ranks 0, 2\n", result.stdout)
        self.assertIn("# group 1 of 2 by MOD 2: ranks 1\n", result.stdout)
        self.assertEqual([row[:3] for _, row in data_rows(result.stdout)],
                         [["64", "64", "8"], ["64", "64", "16"]])

    def test_ranks_of_different_environments_are_refused(self):
        program = launch.program_path("all_reduce_perf")
        command = launch.mpirun(1, "env", "NCCL_TESTS_SPLIT=MOD 2", program, *QUICK)
        with launch.start(*command, ":", "-n", "1", program, *QUICK) as running:
            result = running.wait(30)
        self.assertEqual(result.returncode, 2, result.output)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertIn("NCCL_TESTS_SPLIT=MOD 2", result.stderr)


class Nonsense(unittest.TestCase):
    CASES = ("MOD 0", "DIV0", "FOO 2", "2", "MOD", "AND 0b", "MOD 1.5", "")

    def assert_refused(self, result, source):
        self.assertEqual(result.returncode, 2, result.output)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertIn(f": {source}: ", result.stderr)

    def test_is_refused_before_mpi_starts(self):
        for text in self.CASES:
            with self.subTest(text):
                self.assert_refused(launch.run_program("all_reduce_perf", "--split", text), "--split")
                if text:
                    self.assert_refused(launch.run_program(
                        "all_reduce_perf", env={"NCCL_TESTS_SPLIT": text}), "NCCL_TESTS_SPLIT")
        self.assert_refused(launch.run_program(
            "all_reduce_perf", env={"NCCL_TESTS_SPLIT_MASK": "zz"}), "NCCL_TESTS_SPLIT_MASK")

    def test_is_said_once_by_several_ranks(self):
        self.assert_refused(run_ranks(3, "all_reduce_perf", "--split", "MOD 0"), "--split")
        self.assert_refused(run_ranks(2, "all_reduce_perf", env={"NCCL_TESTS_SPLIT_MASK": "zz"}),
                            "NCCL_TESTS_SPLIT_MASK")


if __name__ == "__main__":
    unittest.main()
