#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# `collbench import`: examples of docs/importing.md, and its files against the schema.
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import jsonschema

import launch

STARTS_NO_RANKS = True

EXAMPLES = launch.ROOT / "tests/imports"
PAGE = (launch.ROOT / "docs/importing.md").read_text(encoding="utf-8")


def collbench(*arguments):
    return launch.run_program("collbench", *arguments, timeout=20)


class Import(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "out.json"

    def imported(self, *arguments):
        result = collbench("import", *arguments, "-o", self.output, "--force")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_examples_of_the_page(self):
        tool = pathlib.Path(launch.program_path("collbench"))
        commands = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL).group(1).splitlines()
        self.assertGreaterEqual(len(commands), 6)
        for command in commands:
            with self.subTest(command):
                command = command.replace("build/collbench", str(tool)).replace("tests/imports", str(EXAMPLES))
                ended = subprocess.run(command, shell=True, cwd=self.folder, capture_output=True, text=True,
                                       check=False)
                self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_an_output_takes_no_place_of_an_input(self):
        log = self.folder / "log.txt"
        log.write_text((EXAMPLES / "nccl-tests-2.19.txt").read_text())
        result = collbench("import", log, "-o", log, "--force")
        self.assertEqual((result.returncode, result.stderr),
                         (2, f"collbench: -o {log}: is one of the files to read; give another name\n"))

    def test_files_are_valid(self):
        facts = {"nccl-tests-2.10.txt": ["--collective", "all_gather"], "imb": ["--ranks-per-node", "2"],
                 "osu": ["--ranks", "4", "--nodes", "2"]}
        schema = json.loads(collbench("schema").stdout)
        run = jsonschema.Draft202012Validator({"$ref": "#/$defs/document", "$defs": schema["$defs"]})
        for example in sorted(EXAMPLES.iterdir()):
            with self.subTest(example.name):
                flags = next((f for name, f in facts.items() if example.name.startswith(name)), [])
                self.imported(example, *flags)
                document = json.loads(self.output.read_text())
                for one in document.get("runs", [document]):
                    self.assertEqual([f"{e.json_path}: {e.message}" for e in run.iter_errors(one)], [])
                    self.assertTrue(all("imported" in row["flags"] for row in one["rows"]))
                rows = sum(len(one["rows"]) for one in document.get("runs", [document]))
                shown = collbench("show", self.output)
                self.assertEqual(shown.returncode, 0, shown.stderr)
                self.assertEqual(len(collbench("convert", "--to", "csv", self.output).stdout.splitlines()), 1 + rows)

    def test_what_is_left_out_is_said(self):
        example = EXAMPLES / "osu-5.6.txt"
        result = self.imported(example, "--ranks", "4", "--nodes", "2")
        self.assertEqual(result.stdout, f"{self.output}: 2 runs, 6 rows\n")
        self.assertEqual(result.stderr, f"collbench: {example}: line 15: MPI Latency Test v5.6.3 measures what "
                                        "nothing here does: left out\n")

    def test_what_is_known_is_read_directly(self):
        example = EXAMPLES / "nccl-tests-2.19.txt"
        self.assertEqual(collbench("validate", example).stdout, f"{example}: valid, 8 rows, status complete\n")
        self.imported(example)
        self.assertEqual(collbench("convert", "--to", "csv", example).stdout,
                         collbench("convert", "--to", "csv", self.output).stdout)
        table = self.folder / "table.txt"
        table.write_text(collbench("convert", "--to", "nccl-tests", example).stdout)
        self.assertEqual(collbench("validate", table).stdout, f"{table}: valid, 8 rows, status complete\n")

    def test_refusals(self):
        result = collbench("import", EXAMPLES / "osu-7.4.txt", "-o", self.output)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, f"collbench: {EXAMPLES}/osu-7.4.txt: the text does not tell the number of "
                                        "ranks: import it with --ranks\n")
        self.assertFalse(self.output.exists())
        other = self.folder / "notes.txt"
        other.write_text("8 2 float sum\n")
        result = collbench("import", other, "-o", self.output)
        self.assertEqual(result.returncode, 2)
        self.assertIn("not the output of a program that is known here", result.stderr)
        other.write_text("\n")
        self.assertIn(f"{other}: it is empty; ", collbench("import", other, "-o", self.output).stderr)
        ours = collbench("import", launch.ROOT / "tests/golden/results-1.1.json", "-o", self.output)
        self.assertEqual(ours.returncode, 2)
        self.assertIn(": this is a result file of collbench, which every subcommand reads as it is; ", ours.stderr)


if __name__ == "__main__":
    unittest.main()
