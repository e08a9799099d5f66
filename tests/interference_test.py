# SPDX-License-Identifier: Apache-2.0
# --interfere end to end: what rows and another operation cost each other, on every backend.

import json
import pathlib
import tempfile
import unittest

import backends
import documented
import launch

QUICK = ("-n", "2", "--samples", "6", "-w", "1", "--wait", "yield", "--force")
SIZES = ("-b", "4K", "-e", "16K", "-f", "4")


class Interference(unittest.TestCase):
    def measure(self, ranks, program, *flags, sizes=SIZES, env=None):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.json"
            result = launch.run_ranks(ranks, program, *QUICK, *sizes, "-J", path, *flags, env=env)
            self.assertEqual(result.returncode, 0, result.output)
            valid = launch.run_program("collbench", "validate", path)
            self.assertEqual(valid.returncode, 0, valid.output)
            return result, json.loads(path.read_text())

    def check_rows(self, document, operation, groups):
        measured = [row for row in document["rows"] if row["status"] == "ok"]
        self.assertTrue(measured)
        for row in measured:
            interference = row["interference"]
            self.assertEqual((interference["operation"], interference["groups"]), (operation, groups))
            other = interference["other"]
            for slowdown, beside, alone in (
                    (interference["slowdown"], interference["beside"]["time_us"], row["time_us"]),
                    (other["slowdown"], other["beside"]["time_us"], other["alone"]["time_us"])):
                self.assertEqual(beside["n"], 6)
                self.assertAlmostEqual(slowdown, beside["median"] / alone["median"], places=4)
        return measured

    def test_the_same_size_over_all_ranks(self):
        result, document = self.measure(2, "all_reduce_perf", "--interfere", "all_gather@world")
        self.assertEqual(document["config"]["interfere"], "all_gather@world")
        rows = self.check_rows(document, "all_gather", "world")
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertEqual(row["interference"]["message_bytes"], row["message_bytes"])
        self.assertIn("# what each row and all_gather over world cost each other", result.stdout)

    def test_every_operation_and_a_size_of_its_own(self):
        for operation in ("all_reduce", "reduce_scatter", "alltoall", "sendrecv"):
            with self.subTest(operation):
                _, document = self.measure(2, "all_gather_perf", "--interfere", f"{operation}:8K@world")
                for row in self.check_rows(document, operation, "world"):
                    self.assertEqual(row["interference"]["message_bytes"], 8192)

    def test_a_size_at_which_the_other_rounds_to_nothing(self):
        result, document = self.measure(2, "all_reduce_perf", "--interfere", "alltoall@world",
                                        sizes=("-b", "8", "-e", "64", "-f", "8"))
        self.assertEqual(["interference" in row for row in document["rows"]], [False, False, True, True])
        self.assertIn("rounds to nothing at their size", result.stdout)

    @unittest.skipUnless(4 in launch.rank_counts(), "asks for 4 ranks")
    def test_groups_across_groups(self):
        _, document = self.measure(4, "all_reduce_perf", "--split", "MOD 2", "--interfere", "sendrecv:4K@DIV 2")
        rows = self.check_rows(document, "sendrecv", "DIV 2")
        self.assertEqual({row["group"]["index"] for row in rows}, {0, 1})

    @unittest.skipUnless(3 in launch.rank_counts(), "asks for 3 ranks")
    def test_some_ranks_only(self):
        _, document = self.measure(3, "alltoall_perf", "--interfere", "all_reduce@DIV 2")
        self.check_rows(document, "all_reduce", "DIV 2")

    @unittest.skipUnless(backends.name() == "nccl-threads", "of the fakes' virtual clock")
    def test_links_of_their_own_cost_nothing(self):
        # The fakes take a latency and a bandwidth for an operation, and communicators share no links.
        clock = {"FAKE_CUDA_VTIME": "1", "FAKE_NCCL_LATENCY_US": "10", "FAKE_NCCL_GBps": "1"}
        _, document = self.measure(2, "all_reduce_perf", "--interfere", "all_gather:64K@world", env=clock)
        for row in self.check_rows(document, "all_gather", "world"):
            self.assertAlmostEqual(row["time_us"]["median"], 10 + row["message_bytes"] / 1e3, delta=1)
            self.assertAlmostEqual(row["interference"]["slowdown"], 1, delta=0.01)
            self.assertAlmostEqual(row["interference"]["other"]["slowdown"], 1, delta=0.01)


@unittest.skipUnless(backends.name() == "mpi", "of hosts")
class Documented(unittest.TestCase):
    def test_the_page_shows_what_is_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            documented.check_page(self, "interference.md", pathlib.Path(folder))


@unittest.skipUnless(backends.name() == "mpi", "refused before there is a backend")
class Refused(unittest.TestCase):
    def test_in_one_sentence(self):
        for flags, words in ((("--interfere", "all_gather"), "which ranks run it together is missing"),
                             (("--interfere", "hypercube@world"), "is no operation that can run beside another"),
                             (("--interfere", "all_gather@world", "-C", "1"), "operations are timed back to back"),
                             (("--interfere", "alltoall:8@world"), "are too few for alltoall of 2 ranks"),
                             (("--interfere", "all_gather@MOD 2"), "groups of one rank load no link"),
                             (("--split", "MOD 2", "--interfere", "all_gather@world"), "groups of one rank load no link")):
            with self.subTest(flags):
                result = launch.run_ranks(2, "all_reduce_perf", *QUICK, *SIZES, *flags)
                self.assertEqual(result.returncode, 2, result.output)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
