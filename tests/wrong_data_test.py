# SPDX-License-Identifier: Apache-2.0
# Wrong data of a whole run: the table, the file and the exit status say so, and the sweep goes on to its end.
import json
import pathlib
import tempfile
import unittest

import launch

FAULTY = launch.BUILD / "tests/faulty_all_reduce"


class WrongData(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "run.json"

    def run_faulty(self, *flags, since=__file__, **extra):
        result = launch.run_ranks(2, FAULTY, "-b", "64", "-e", "256", "-f", "2", "-n", "2", "-J", self.path, *flags,
                                  env={"FAULTY_FROM": since, **extra})
        return result, json.loads(self.path.read_text())

    def test_every_row_names_its_first_wrong_byte_and_none_is_averaged(self):
        result, document = self.run_faulty()
        self.assertEqual(result.returncode, 4, result.output)
        self.assertEqual((document["run"]["status"], document["run"]["exit_status"]), ("complete", 4))
        self.assertEqual([row["status"] for row in document["rows"]], ["wrong"] * 6)
        for row in document["rows"]:
            self.assertGreater(row["check"]["wrong_elements"], 0)
            self.assertRegex(row["reason"], r"^\d+ wrong of \d+ elements, the first: rank [01], "
                                            r"byte \d+ of the result: expected \S+, found \S+$")
            self.assertIn(f"wrong: {row['reason']}\n", result.stdout)
        self.assertIsNone(document["summary"]["mean_busbw_GBps"])
        self.assertIn("# Out of bounds values : 6 FAILED\n", result.stdout)

    def test_it_counts_before_a_threshold_that_is_not_met(self):
        result, _ = self.run_faulty("--min-busbw", "64=1000000")
        self.assertEqual(result.returncode, 4, result.output)

    def test_it_ends_the_checks_of_a_row(self):
        _, document = self.run_faulty("-c", "5")
        elements = {row["check"]["checked_elements"] / row["count"] for row in document["rows"]}
        self.assertEqual(elements, {2})  # one check of two ranks

    def test_unchecked_it_is_not_seen_and_not_called_right(self):
        result, document = self.run_faulty("-c", "0")
        self.assertEqual(result.returncode, 0, result.output)
        self.assertIn("# Out of bounds values : N/A (nothing checked)\n", result.stdout)
        self.assertTrue(all("check" not in row for row in document["rows"]))


if __name__ == "__main__":
    unittest.main()
