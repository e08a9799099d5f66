# SPDX-License-Identifier: Apache-2.0
# `collbench baseline`: the latest good launches in a file, and what is not put there.

import json
import pathlib
import tempfile
import unittest

import documented
import launch

STARTS_NO_RANKS = True

GOLDEN = launch.ROOT / "tests/golden/results-1.1.json"


class Baseline(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.base = self.folder / "base.jsonl"

    def results(self, number, factor=1, exit_status=0):
        """A launch like the golden file's good rows, `factor` times as long."""
        document = json.loads(GOLDEN.read_text())
        document["run"] |= {"id": f"{number:032x}", "exit_status": exit_status,
                            "started": f"2026-03-{number + 1:02}T12:00:00Z"}
        document["rows"] = [row for row in document["rows"] if row["status"] == "ok" and row["ranks"] > 1]
        for row in document["rows"]:
            row["samples_us"] = [t * factor for t in row["samples_us"]]
            row["time_us"] = {"n": len(row["samples_us"]), "median": row["time_us"]["median"] * factor}
        path = self.folder / f"{number}.json"
        path.write_text(json.dumps(document))
        return path

    def baseline(self, *arguments, status=0):
        result = launch.run_program("collbench", "baseline", *arguments)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout

    def launches(self):
        return [json.loads(line)["run"]["id"][-1] for line in self.base.read_text().splitlines()]

    def test_keeps_the_latest_and_says_how_they_moved(self):
        files = [self.results(number, 1.01 ** number) for number in range(6)]
        added = self.baseline("add", self.base, "--most", 5, *files)
        self.assertEqual(added.count(": added\n"), 6)
        self.assertEqual(self.launches(), ["1", "2", "3", "4", "5"])
        self.assertTrue(all(len(row["samples_us"]) == 1 for line in self.base.read_text().splitlines()
                            for row in json.loads(line)["rows"]))
        self.assertIn("is there already", self.baseline("add", self.base, files[5]))
        shown = self.baseline("show", self.base)
        self.assertIn("# all_reduce_perf: 5 launches, 2026-03-02T12:00:00Z to 2026-03-06T12:00:00Z, fingerprint ", shown)
        self.assertRegex(shown, r" {10}5 .* 1\.6 % +\+3\.0 % ")
        self.assertEqual(self.baseline("prune", self.base, "--most", "2"), "3 launches removed, 2 kept\n")
        self.assertEqual(self.launches(), ["4", "5"])

    def test_a_regression_is_not_added_unless_asked_for(self):
        self.baseline("add", self.base, *(self.results(number, 1 + 0.001 * number) for number in range(5)))
        slow = self.results(7, 1.5)
        self.assertIn("NOT added: ", self.baseline("add", self.base, slow, status=1))
        self.assertEqual(len(self.launches()), 5)
        self.baseline("add", self.base, "--with-regressions", slow)
        self.assertEqual(len(self.launches()), 6)

    def test_is_the_base_of_comparisons(self):
        self.baseline("add", self.base, *(self.results(number, 1 + 0.001 * number) for number in range(5)))
        compare = lambda file: launch.run_program(  # noqa: E731
            "collbench", "compare", "--baseline", self.base, "--format", "json", "--", file)
        same = compare(self.results(7))
        self.assertEqual(same.returncode, 0, same.stderr)
        self.assertEqual({len(row["base_launches_us"]) for row in json.loads(same.stdout)["rows"]}, {5})
        self.assertEqual(compare(self.results(8, 1.5)).returncode, 1)
        # A launch is not held against itself.
        again = compare(self.folder / "4.json")
        self.assertEqual({len(row["base_launches_us"]) for row in json.loads(again.stdout)["rows"]}, {4})
        other = self.results(9)
        other.write_text(other.read_text().replace("AMD EPYC 7B13", "another"))
        refused = compare(other)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("has no other launch of the same program on an equal machine", refused.stderr)

    def test_bad_runs_are_not_added(self):
        said = self.baseline("add", self.base, self.results(1), self.results(2, exit_status=4), status=1)
        self.assertRegex(said, r"run 0+1 of all_reduce_perf: added\nrun 0+2 of all_reduce_perf: NOT added: it ended "
                               r"with status 4\n")
        self.assertEqual(self.launches(), ["1"])

    def test_the_page_of_it_is_true(self):
        for name, numbers in (("launches", range(5)), ("new", (7,))):
            (self.folder / name).mkdir()
            for number in numbers:
                self.results(number, 1 + 0.001 * (number % 5)).rename(self.folder / name / f"{number}.json")
        documented.check_page(self, "ci.md", self.folder)

    def test_what_cannot_be_read_stays_as_it_is(self):
        self.base.write_text("{}\n")
        self.baseline("show", self.base, status=2)
        self.baseline("add", self.base, self.results(1), status=2)
        self.assertEqual(self.base.read_text(), "{}\n")
        self.baseline("prune", self.folder / "none", "--most", "1", status=2)


if __name__ == "__main__":
    unittest.main()
