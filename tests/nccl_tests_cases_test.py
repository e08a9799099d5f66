# SPDX-License-Identifier: Apache-2.0
# Inputs that nccl-tests and its relatives answered with a crash, an endless loop or a silent default.
"""Numbers in comments are issues of NVIDIA/nccl-tests. Cases that other files test: memory that does not
suffice (collectives_test), messages above 2^31 bytes (large_test), groups of ranks (groups_test)."""

import json
import pathlib
import re
import tempfile
import unittest

from launch import run_program, run_ranks

QUICK = ("-n", "1", "-w", "0")


def strict(text):
    """JSON as its standard has it: NaN and Infinity are none."""
    def refuse(token):
        raise ValueError(f"{token} is not JSON")
    return json.loads(text, parse_constant=refuse)


class Cases(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "run.json"

    def measure(self, ranks, program, *flags, status=0, env=None):
        """Runs a sweep; returns its document."""
        result = run_ranks(ranks, program, *QUICK, *flags, "-J", self.path, "--force", env=env)
        self.assertEqual(result.returncode, status, result.output)
        return strict(self.path.read_text())

    def sizes(self, document, field="message_bytes"):
        return [row[field] for row in document["rows"] if not row["in_place"]]

    def assert_refused(self, result, program="all_reduce_perf"):
        self.assertEqual(result.returncode, 2, result.output)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, f"^{program}: [^\n]+\n$")


class Sizes(Cases):
    def test_a_step_with_a_suffix(self):  # 225
        document = self.measure(1, "all_reduce_perf", "-b", "64K", "-e", "70K", "-i", "2K", "-c", "0")
        self.assertEqual(self.sizes(document), [n * 1024 for n in (64, 66, 68, 70)])

        planned = run_program("all_reduce_perf", "-b", "64M", "-e", "70M", "-i", "2M", "--dry-run")
        self.assertEqual(re.findall(r"^ +(\d+) ", planned.stdout, re.MULTILINE),
                         [str(n << 20) for n in (64, 66, 68, 70)], planned.output)

    def test_suffixes_in_either_case_and_all_binary(self):  # 88
        for first, last in (("1k", "4k"), ("1K", "4KiB"), ("1kb", "4096"), ("0.5k", "4K")):
            document = self.measure(1, "all_reduce_perf", "-b", first, "-e", last, "-f", "4", "-c", "0")
            self.assertIn(self.sizes(document)[0], (512, 1024))
        result = run_program("all_reduce_perf", "-b", "1T", "-e", "2TiB", "-f", "2", "--dry-run")
        self.assertEqual(result.returncode, 0, result.output)
        self.assertIn(f" {2**40} ", result.stdout)
        self.assertIn(f" {2**41} ", result.stdout)

    def test_sizes_that_do_not_divide(self):  # 142
        for program in ("all_gather_perf", "reduce_scatter_perf", "alltoall_perf"):
            document = self.measure(3, program, "-b", "8", "-e", "256", "-f", "2")
            measured = [row["message_bytes"] for row in document["rows"]
                        if row["status"] == "ok" and not row["in_place"]]
            self.assertEqual(measured, [48, 96, 240])
            self.assertEqual(self.sizes(document, "requested_bytes"), [8, 16, 32, 64, 128, 256])
            skipped = [row for row in document["rows"] if row["status"] == "skipped"]
            self.assertTrue(all(row["reason"] for row in skipped))
            self.assertEqual(document["summary"]["measured"] + len(skipped), 12)


class Mistakes(Cases):
    WORDS = (
        ["-b", "2G", "-e", "1G"], ["-b", "0"], ["-i", "0"], ["-b", "-8"], ["-b", "inf"], ["-b", "nan"],
        ["-e", "17179869184G"], ["-b", "1KiBxyz"], ["-b", "8", "-e", "12Q"],
        ["-f", "0"], ["-f", "1"], ["-f", "1.5"], ["-f", "-1"], ["-f", "abc"],
        ["-n", "0"], ["-n", "-3"], ["-n", "abc"], ["-n", "1e3"], ["-n", "9223372036854775808"],
        ["-w", "99999999999999999999"], ["-w", "-1"], ["-c", "-1"],
        ["-t", "0"], ["-g", "0"], ["-g", "99", "--backend", "mpi"], ["-t", "-1"], ["-G", "1"], ["-G", "x"],
        ["-I", "2"], ["-K", "1"], ["-I", "1", "-K", "5", "-n", "5"], ["-m", "0"], ["-m", "-1"], ["-N", "0"],
        ["-u", "-1"], ["-u", "0.5"], ["-z", "4"], ["-C", "2"], ["-r", "all"], ["-c", "99999999999"],
        ["-a", "9"], ["-S", "2"], ["-T", "-1"], ["-d", "quad"], ["-o", "xor"],
        ["--bogus"], ["-q"], ["-n"], ["extra", "args", "-b", "1K"], ["-b", "8", "-b", "16"],
    )

    def test_each_ends_in_one_sentence_before_anything_is_measured(self):
        for words in self.WORDS:
            with self.subTest(words=words):
                result = run_program("all_reduce_perf", *words, "-J", self.path)
                self.assert_refused(result)
                self.assertFalse(self.path.exists())

    def test_one_rank_speaks_for_all(self):
        for words in (["-b", "2G", "-e", "1G"], ["-g", "9999"], ["-i", "0"], ["extra"]):
            with self.subTest(words=words):
                self.assert_refused(run_ranks(3, "all_reduce_perf", *words))

    def test_the_status_is_the_same_with_a_file(self):  # 387
        for words in (["-g", "9999"], ["-b", "1M", "-e", "64T", "-f", "2"]):
            for more in ([], ["-J", self.path]):
                with self.subTest(words=words, more=more):
                    self.assert_refused(run_ranks(2, "all_reduce_perf", *words, *more))


class Combinations(Cases):
    def test_fused_operations_each_alone(self):  # 337
        document = self.measure(2, "all_reduce_perf", "-b", "1K", "-e", "1K", "-m", "10", "-z", "1")
        for row in document["rows"]:
            self.assertEqual((row["mode"], row["status"]), ("isolated", "ok"))
            self.assertEqual(row["operations_per_sample"], 10)
        self.assertEqual(document["config"]["grouped_operations"], 10)

    def test_variables_that_would_have_changed_the_traffic(self):
        for variable, value, flag in (("SPREAD", "0.5", "linear"), ("MATRIX_FILE", "/m.txt", "file")):
            variable = f"NCCL_TESTS_ALLTOALLV_{variable}"
            with self.subTest(variable):
                result = run_ranks(2, "alltoallv_perf", *QUICK, "-b", "1K", "-e", "1K", env={variable: value})
                self.assert_refused(result, "alltoallv_perf")
                self.assertIn(f"{variable}: it is not read; give --matrix {flag}:", result.stderr)
        self.assert_refused(run_program("all_reduce_perf", *QUICK, env={"NCCL_TESTS_DEVICE": "1"}))


class Roots(Cases):
    def test_all_is_every_rank(self):
        document = self.measure(3, "broadcast_perf", "-b", "1K", "-e", "1K", "-r", "all")
        self.assertEqual([row["root"] for row in document["rows"]], [0, 0, 1, 1, 2, 2])

    def test_a_rank_that_is_not_there(self):
        self.assert_refused(run_ranks(2, "reduce_perf", "-r", "99"), "reduce_perf")


class OneRank(Cases):
    def test_bus_bandwidth_is_not_defined(self):  # 71, 249, 294
        document = self.measure(1, "all_reduce_perf", "-b", "1K", "-e", "1K", status=6,
                                env={"NCCL_TESTS_MIN_BW": "0.001"})
        self.assertTrue(all(row["busbw_GBps"] is None for row in document["rows"]))
        self.assertIsNone(document["summary"]["mean_busbw_GBps"])

    def test_copies_without_a_launcher(self):  # 27
        for variable in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"):
            with self.subTest(variable=variable):
                result = run_program("all_reduce_perf", *QUICK, "-b", "8", "-e", "8", env={variable: "4"})
                self.assert_refused(result)
                self.assertIn(variable, result.stderr)


class Files(Cases):
    def test_a_hypercube_of_three_ranks_is_refused_for_its_reason(self):
        result = run_ranks(3, "hypercube_perf", "-b", "8", "-e", "64", "-f", "2", "-J", self.path)
        self.assert_refused(result, "hypercube_perf")
        self.assertIn("a power of two of ranks", result.stderr)

    def test_rows_without_numbers_are_json_too(self):
        document = self.measure(2, "all_gather_perf", "-b", "8", "-e", "64", "-f", "8", "-c", "0")
        self.assertEqual(document["summary"]["measured"], 2)
        for row in document["rows"][:2]:
            self.assertEqual((row["status"], "busbw_GBps" in row), ("skipped", False))
            self.assertTrue(row["reason"])

    def test_small_bandwidths_keep_their_digits(self):
        document = self.measure(2, "all_reduce_perf", "-b", "4", "-e", "4", "-c", "0")
        for row in document["rows"]:
            self.assertGreater(row["busbw_GBps"], 0)

    def test_booleans_and_numbers_are_none_in_quotes(self):
        document = self.measure(2, "broadcast_perf", "-b", "1K", "-e", "1K")
        row = document["rows"][0]
        self.assertIs(row["in_place"], False)
        self.assertEqual((type(row["root"]), type(row["check"]["wrong_elements"])), (int, int))

    def test_no_secret_of_the_environment(self):
        self.measure(1, "all_reduce_perf", "-b", "8", "-e", "8",
                     env={"MY_TOKEN": "hunter2", "NCCL_API_KEY": "hunter3", "NCCL_DEBUG": "WARN"})
        text = self.path.read_text()
        self.assertNotIn("hunter", text)
        self.assertIn('"NCCL_DEBUG":"WARN"', text)

    def test_what_is_not_valid_in_place_is_in_no_average(self):  # 78, 104
        for program in ("alltoall_perf", "sendrecv_perf"):
            document = self.measure(2, program, "-b", "1K", "-e", "1K")
            row, in_place = document["rows"]
            self.assertEqual(in_place["status"], "skipped")
            self.assertEqual(document["summary"]["mean_busbw_GBps"], row["busbw_GBps"])


if __name__ == "__main__":
    unittest.main()
