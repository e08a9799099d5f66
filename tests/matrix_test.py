# SPDX-License-Identifier: Apache-2.0
# Traffic matrices from files, end to end.
import json
import pathlib
import tempfile
import unittest

from launch import run_ranks

QUICK = ("-n", "2", "-w", "1", "--wait", "yield")


class MatrixFile(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.matrix = self.folder / "matrix"

    def measure(self, ranks, *flags):
        """The result file of a run with the matrix."""
        path = self.folder / "out.json"
        result = run_ranks(ranks, "alltoallv_perf", *QUICK, "--matrix", f"file:{self.matrix}", "-J",
                           str(path), "--force", *flags)
        self.assertEqual(result.returncode, 0, result.output)
        return json.loads(path.read_text())

    def out_of_place(self, document):
        return [row for row in document["rows"] if not row["in_place"]]

    def test_without_sizes_its_own_bytes_are_measured(self):
        self.matrix.write_text("160 4096  # of rank 0\n1024, 0\n")
        document = self.measure(2)
        row, = self.out_of_place(document)
        self.assertEqual((row["status"], row["requested_bytes"], row["message_bytes"]),
                         ("ok", 4256, 4256))
        # Both ranks receive all of it: a float has 4 bytes.
        self.assertEqual(row["check"]["checked_elements"], (160 + 4096 + 1024) // 4)
        self.assertEqual((document["config"]["min_bytes"], document["config"]["max_bytes"]),
                         (4256, 4256))

    def test_it_is_scaled_to_sizes_that_are_given(self):
        self.matrix.write_text("0 4096\n1024 0\n")
        sizes = [row["message_bytes"]
                 for row in self.out_of_place(self.measure(2, "-b", "8K", "-e", "16K", "-f", "2"))]
        self.assertEqual(sizes, [8192, 16384])

    def test_every_group_has_its_bytes(self):
        self.matrix.write_text("0 4096\n1024 0\n")
        rows = self.out_of_place(self.measure(4, "--split", "MOD 2"))
        self.assertEqual([row["message_bytes"] for row in rows], [4096, 4096])

    def test_bytes_that_make_no_block_are_refused(self):
        self.matrix.write_text("0 15\n8 0\n")
        result = run_ranks(2, "alltoallv_perf", *QUICK, "--matrix", f"file:{self.matrix}")
        self.assertEqual(result.returncode, 2, result.output)
        self.assertIn("15 B is too small", result.stderr)

    def test_a_device_is_refused(self):
        """/dev/zero would fill the memory of every host."""
        result = run_ranks(2, "alltoallv_perf", "--matrix", "file:/dev/null", "--dry-run")
        self.assertEqual(result.returncode, 2, result.output)
        self.assertEqual(result.stderr, "alltoallv_perf: /dev/null: this is no regular file\n")

    def test_a_dry_run_shows_its_bytes(self):
        self.matrix.write_text("4096 0\n1024 0\n")
        result = run_ranks(2, "alltoallv_perf", "--matrix", f"file:{self.matrix}", "--dry-run")
        self.assertEqual(result.returncode, 0, result.output)
        self.assertRegex(result.stdout, r"\n +5120 +5120 +640 +float +4096 +5120\n")

    def test_a_matrix_of_other_ranks_is_refused(self):
        self.matrix.write_text("0 4096\n1024 0\n")
        for flags in ((), ("--split", "MOD 2")):  # groups of 2 ranks and 1
            result = run_ranks(3, "alltoallv_perf", *QUICK, "--matrix", f"file:{self.matrix}", *flags)
            self.assertEqual(result.returncode, 2, result.output)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
            self.assertIn("line 1: 2 numbers for", result.stderr)


if __name__ == "__main__":
    unittest.main()
