#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# `collbench merge`: several runs in one file, which every subcommand reads.
import json
import pathlib
import shutil
import tempfile
import unittest

import jsonschema

import launch

STARTS_NO_RANKS = True

GOLDEN = launch.ROOT / "tests/golden"
COMPLETE = GOLDEN / "results-1.1.json"
RUNNING = GOLDEN / "results-1.1-running.json"


def collbench(*arguments):
    return launch.run_program("collbench", *arguments, timeout=20)


class Merge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.set = self.folder / "set.json"

    def other_run(self, name, run_id, **changes):
        document = json.loads(COMPLETE.read_text())
        document["run"].update(id=run_id, **changes)
        path = self.folder / name
        path.write_text(json.dumps(document))
        return path

    def merged(self, *files):
        result = collbench("merge", *files, "-o", self.set)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def assert_refused(self, result, message):
        self.assertEqual(result.returncode, 2, result.output)
        self.assertEqual(result.stderr, f"collbench: {message}\n")

    def test_an_output_takes_no_place_of_an_input(self):
        other = self.other_run("other.json", "2" * 32)
        before = other.read_text()
        self.assert_refused(collbench("merge", COMPLETE, other, "-o", other, "--force"),
                            f"-o {other}: is one of the files to read; give another name")
        self.assertEqual(other.read_text(), before)

    def test_runs_stay_apart_and_an_unfinished_one_stays_unfinished(self):
        running = self.folder / "running.json"
        document = json.loads(RUNNING.read_text())
        document["run"]["id"] = "1" * 32
        running.write_text(json.dumps(document))
        shutil.copy(f"{RUNNING}.rows", f"{running}.rows")
        other = self.other_run("other.json", "2" * 32)
        self.assertEqual(self.merged(COMPLETE, running, other), f"{self.set}: 3 runs, 1 incomplete\n")
        result = collbench("validate", self.set)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout,
                         f"{self.set}: valid, 7 rows, status complete\n"
                         f"{self.set}: incomplete, 2 rows so far: the run was killed, or is still going\n"
                         f"{self.set}: valid, 7 rows, status complete\n")
        table = collbench("convert", "--to", "csv", self.set).stdout
        self.assertEqual(len(table.splitlines()), 1 + 7 + 2 + 7)
        # A set is merged like any other file.
        again = self.folder / "again.json"
        self.assertEqual(collbench("merge", self.set, COMPLETE, "-o", again).returncode, 0)
        self.assertEqual(again.read_text(), self.set.read_text())

    def test_a_set_is_valid(self):
        self.merged(COMPLETE, self.other_run("other.json", "2" * 32))
        run, runs = (json.loads(collbench("schema", *flags).stdout) for flags in ((), ("--of", "result-set")))
        # This validator finds no schema by its urn, so that the one refers to the other by hand.
        self.assertEqual(runs["properties"]["runs"]["items"], {"$ref": f'{run["$id"]}#/$defs/document'})
        runs["properties"]["runs"]["items"] = {"$ref": "#/$defs/document"}
        validator = jsonschema.Draft202012Validator({**runs, "$defs": run["$defs"]})
        document = json.loads(self.set.read_text())
        self.assertEqual([error.message for error in validator.iter_errors(document)], [])
        document["runs"][1]["rows"][0].pop("type")
        self.assertFalse(validator.is_valid(document))

    def test_a_run_is_there_once(self):
        copy = self.folder / "copy.json"
        shutil.copy(COMPLETE, copy)
        self.assertEqual(self.merged(COMPLETE, copy), f"{self.set}: 1 run; left out, being there twice: 1\n")
        run_id = json.loads(COMPLETE.read_text())["run"]["id"]
        changed = self.other_run("changed.json", run_id, version="9")
        self.assert_refused(collbench("merge", "--force", COMPLETE, changed, "-o", self.set),
                            f"run {run_id} is there twice, and not alike: one was changed after the run; "
                            "leave one out")

    def test_files_are_not_lost(self):
        self.merged(COMPLETE)
        before = self.set.read_text()
        self.assert_refused(collbench("merge", COMPLETE, "-o", self.set),
                            f"{self.set}: this file exists; choose another name, or give --force to replace it")
        broken = self.folder / "broken.json"
        broken.write_text(COMPLETE.read_text().replace('"schema_version": "1.1"', '"schema_version": "2.0"'))
        result = collbench("merge", "--force", COMPLETE, broken, "-o", self.set)
        self.assertEqual(result.returncode, 2)
        self.assertIn("broken.json: /schema_version: 2.0 is a format", result.stderr)
        self.assertEqual(self.set.read_text(), before)
        self.assertEqual(collbench("merge", "--force", COMPLETE, "-o", self.set).returncode, 0)


if __name__ == "__main__":
    unittest.main()
