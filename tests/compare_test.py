#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# `collbench compare` on files, and the examples of docs/comparing.md.

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import jsonschema

import compare_files
import launch

STARTS_NO_RANKS = True

PAGE = launch.ROOT / "docs/comparing.md"
SCHEMA = launch.ROOT / "results/schema/comparison-1.schema.json"


class Sides(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compare(self, *arguments, status):
        result = launch.run_program("collbench", "compare", *arguments)
        self.assertEqual(result.returncode, status, result.output)
        return result

    def sides(self, factor):
        compare_files.write_sides(self.folder, factor)
        return self.folder / "base", "--", self.folder / "new"


class Compare(Sides):
    def test_equal_sides_pass(self):
        result = self.compare(*self.sides(1.0), status=0)
        self.assertTrue(result.stdout.startswith("PASS: 3 rows of 5 launches against 5: 3 unchanged\n"),
                        result.stdout)

    def test_a_regression_ends_with_1_and_says_which_row(self):
        result = self.compare(*self.sides(1.1), "--explain", status=1)
        self.assertTrue(result.stdout.startswith("REGRESSION: "), result.stdout)
        self.assertRegex(result.stdout, r"- regression +\+10\.0 % .* 5 ms +5\.5 ms +5/5  all_reduce 16 MiB")

    def test_an_improvement_passes(self):
        self.compare(*self.sides(0.8), "--fail-on", "regression,suspect,new", status=0)

    def test_many_formats_at_once(self):
        out = self.folder / "out"
        out.mkdir()
        result = self.compare(*self.sides(1.1), "--format", "markdown", "--format", f"json={out}/c.json",
                              "--format", f"junit={out}/c.xml", "--format", f"csv={out}/c.csv", status=1)
        self.assertTrue(result.stdout.startswith("<!-- collbench:compare -->\n"), result.stdout)
        self.assertEqual(json.loads((out / "c.json").read_text())["verdict"], "regression")
        suites = xml.etree.ElementTree.parse(out / "c.xml").getroot()
        self.assertEqual(suites.get("failures"), "1")
        self.assertEqual(len((out / "c.csv").read_text().splitlines()), 4)

    def test_a_run_that_was_killed_never_passes(self):
        base, dashes, new = self.sides(1.0)
        path = new / "0.json"
        killed = json.loads(path.read_text())
        rows = killed.pop("rows")
        killed["rows"] = []
        killed["run"]["status"] = "running"
        del killed["run"]["ended"], killed["run"]["exit_status"]
        path.write_text(json.dumps(killed))
        pathlib.Path(f"{path}.rows").write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
        result = self.compare(base, dashes, new, status=6)
        self.assertIn("0.json: the run was killed, or still goes on", result.stdout)
        self.compare(base, dashes, new, "--fail-on", "none", status=6)

    def test_nothing_on_both_sides_is_6(self):
        one = compare_files.write(self.folder / "a.json", 1, {8: 1.0})
        other = compare_files.write(self.folder / "b.json", 2, {16: 1.0})
        result = self.compare(one, "--", other, status=6)
        self.assertIn("no row is on both sides; the base has, for instance, all_reduce/float/sum/8B/",
                      result.stdout)

    def test_an_output_takes_no_place_of_an_input(self):
        base, dashes, new = self.sides(1.0)
        before = (base / "0.json").read_text()
        result = self.compare(base, dashes, new, "--format", f"json={base / '0.json'}", status=2)
        self.assertIn("is one of the files to read; give another name", result.stderr)
        self.assertEqual((base / "0.json").read_text(), before)

    def test_rules_of_a_file_hold(self):
        rules = self.folder / "rules.json"
        printed = self.compare("--print-rules", status=0).stdout
        rules.write_text(printed.replace('"slower_pct": 3', '"slower_pct": 20'))
        base, dashes, new = self.sides(1.1)
        self.compare(base, dashes, new, "--rules", rules, status=0)
        rules.write_text(printed.replace('"slower_pct": 3', '"slower": 20'))
        result = self.compare(base, dashes, new, "--rules", rules, status=2)
        self.assertEqual(result.stderr, f"collbench: {rules}: /thresholds/1/slower: unknown; there are subject, "
                                        "size_class, slower_pct, faster_pct\n")

    def test_a_misspelt_filter_or_subject_is_refused(self):
        base, dashes, new = self.sides(1.0)
        result = self.compare(base, dashes, new, "--filter", "/8B/", "--filter", "reduce_all", status=2)
        self.assertRegex(result.stderr, r"^collbench: --filter: 'reduce_all' is in the name of no row; there is, for "
                                        r"instance, all_reduce/float/sum/\d+B/\S+\n$")
        rules = self.folder / "rules.json"
        printed = self.compare("--print-rules", status=0).stdout
        rules.write_text(printed.replace('{"size_class": "small",', '{"subject": "pipeline_parallel", "size_class": "small",'))
        self.compare(base, dashes, new, "--rules", rules, status=0)
        rules.write_text(printed.replace('{"size_class": "small",', '{"subject": "all_gater", "size_class": "small",'))
        result = self.compare(base, dashes, new, "--rules", rules, status=2)
        self.assertIn("/thresholds/0/subject: 'all_gater' is no collective or scheme; choose from all_gather,", result.stderr)

    def test_a_run_is_not_compared_with_itself(self):
        base, dashes, _ = self.sides(1.0)
        result = self.compare(base, dashes, base, "--fail-on", "none", status=6)
        self.assertIn("5 runs are on both sides", result.stdout)

    def test_what_comparisons_write_fits_their_schema(self):
        base, dashes, new = self.sides(1.1)
        schema = json.loads(launch.run_program("collbench", "schema", "--of", "comparison").stdout)
        for sides in ((base, dashes, new), (base, dashes, base)):
            document = json.loads(self.compare(*sides, "--format", "json", "--fail-on", "regression",
                                               status=1 if sides[2] == new else 6).stdout)
            jsonschema.Draft202012Validator(schema).validate(document)

    def test_files_that_are_none_end_with_2_before_anything_is_written(self):
        base, dashes, _ = self.sides(1.0)
        out = self.folder / "out.json"
        self.compare(base, dashes, self.folder / "none.json", "--format", f"json={out}", status=2)
        self.assertFalse(out.exists())


class Page(Sides):
    def setUp(self):
        super().setUp()
        os.symlink(launch.BUILD, self.folder / "build")
        compare_files.write_sides(self.folder, 1.1)
        self.text = PAGE.read_text()

    def test_its_commands_print_what_stands_below(self):
        blocks = re.findall(r"```sh\n(.*?)```\n\n```\n(.*?)```", self.text, re.DOTALL)
        self.assertTrue(blocks)
        for commands, below in blocks:
            ended = subprocess.run(commands, shell=True, cwd=self.folder, env=launch.environment(),
                                   capture_output=True, text=True, timeout=60)
            self.assertIn(ended.returncode, (0, 1), ended.stderr)
            printed = [line.rstrip() for line in ended.stdout.splitlines()]
            for line in below.splitlines():
                self.assertIn(line.rstrip(), printed)

    def test_it_has_every_verdict_and_reason(self):
        schema = json.loads(SCHEMA.read_text())["$defs"]
        for name in schema["verdict"]["enum"] + schema["reason"]["enum"]:
            self.assertIn(f"`{name}`", self.text)

    def test_its_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#:]+)[)#]", self.text):
            self.assertTrue((PAGE.parent / target).exists(), target)


if __name__ == "__main__":
    unittest.main()
