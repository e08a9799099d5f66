#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# The `collbench` tool as users start it: exit statuses, messages, and no crash on any input.
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

import launch

STARTS_NO_RANKS = True

GOLDEN = launch.ROOT / "tests/golden"
COMPLETE = GOLDEN / "results-1.1.json"
STEPS = GOLDEN / "results-1.1-steps.json"
RUNNING = GOLDEN / "results-1.1-running.json"


def collbench(*arguments):
    return launch.run_program("collbench", *arguments, timeout=20)


class Tool(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, content):
        path = self.folder / "file.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def assert_refused(self, result, message=None):
        """Status 2, nothing on stdout, one sentence on stderr."""
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("collbench: "), result.stderr)
        if message is not None:
            self.assertEqual(result.stderr, f"collbench: {message}\n")


class CommandLine(Tool):
    def test_mistakes(self):
        for arguments in ([], ["validat"], ["--x"], ["validate"], ["show"], ["show", "--x", COMPLETE],
                          ["schema", "x"], [""]):
            with self.subTest(arguments):
                self.assert_refused(collbench(*arguments))

    def test_help_and_version(self):
        for arguments in (["--help"], ["-h"], ["--version"], ["validate", "--help"],
                          ["show", "--help"], ["schema", "--help"]):
            with self.subTest(arguments):
                result = collbench(*arguments)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(result.stderr, "")
                self.assertIn("collbench", result.stdout)

    def test_schemas_are_the_files(self):
        for file in (launch.ROOT / "results/schema").glob("*.json"):
            result = collbench("schema", "--of", file.name.removesuffix("-1.schema.json"))
            self.assertEqual((result.returncode, result.stdout), (0, file.read_text()))
        self.assertEqual(collbench("schema").stdout, (launch.ROOT / "results/schema/results-1.schema.json").read_text())

    def test_links_neither_mpi_nor_cuda(self):
        libraries = subprocess.run(["ldd", launch.program_path("collbench")], check=True,
                                   capture_output=True, text=True).stdout
        for name in ("mpi", "mpich", "cuda", "nccl"):
            self.assertNotIn(name, libraries)

    def test_a_full_disk_is_named(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([launch.program_path("collbench"), "schema", "--of", "result-set"], stdout=full,
                                    stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(result.stderr, "collbench: the output cannot be written to stdout: No space left on device\n")

    def test_a_reader_who_has_left(self):
        read, written = os.pipe()
        os.close(read)
        for subcommand in ("show", "validate", "schema"):
            files = [] if subcommand == "schema" else [COMPLETE]
            result = subprocess.run([launch.program_path("collbench"), subcommand, *files],
                                    stdout=written, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(result.returncode, 3, subcommand)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        os.close(written)

    def test_closed_standard_files(self):
        command = f'"{launch.program_path("collbench")}" validate "{COMPLETE}" >&- 2>&-'
        self.assertEqual(subprocess.run(["bash", "-c", command], check=False).returncode, 3)

    def test_full_disk_under_stdout(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([launch.program_path("collbench"), "show", COMPLETE],
                                    stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stderr.count("\n"), 1)


class Validate(Tool):
    def test_complete(self):
        result = collbench("validate", COMPLETE)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, f"{COMPLETE}: valid, 7 rows, status complete\n")

    def test_incomplete(self):
        result = collbench("validate", COMPLETE, RUNNING)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(f"{COMPLETE}: valid, 7 rows, status complete\n", result.stdout)
        self.assertIn(f"{RUNNING}: incomplete, 2 rows so far", result.stdout)

    def test_one_that_cannot_be_read_hides_no_other(self):
        result = collbench("validate", RUNNING, self.folder / "none.json", COMPLETE)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout.count("\n"), 2)
        self.assertEqual(result.stderr,
                         f"collbench: {self.folder}/none.json: there is no such file\n")

    def test_other_ends_of_a_run(self):
        document = json.loads(COMPLETE.read_text())
        document["run"].update(status="timeout", exit_status=5, message="no progress for 120 s")
        path = self.file(json.dumps(document))
        result = collbench("validate", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, f"{path}: valid, 7 rows, status timeout\n")


class Steps(Tool):
    """Of files of a scheme of parallelism."""

    def test_validate_counts_steps(self):
        self.assertEqual(collbench("validate", STEPS).stdout, f"{STEPS}: valid, 3 steps, status complete\n")

    def test_show_has_tables_of_steps_and_none_of_sizes(self):
        result = collbench("show", STEPS)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("# zero of llama3-8b: "), 3)
        self.assertIn("# NOT a whole step, 2 layers of the model, messages and computing divided by 16\n", result.stdout)
        self.assertNotIn("algbw", result.stdout)
        self.assertIn("#   command zero_perf --model llama3-8b --tp 2\n", result.stdout)

    def test_convert_says_what_it_cannot(self):
        self.assert_refused(collbench("convert", "--to", "nccl-tests", STEPS),
                            f"{STEPS}: holds training steps, which this format has no columns for; "
                            "use --to csv, or collbench show")
        self.assert_refused(collbench("convert", "--to", "csv", COMPLETE, STEPS),
                            f"{STEPS}: holds training steps, and the files before it rows of collectives, whose "
                            "columns differ; convert them apart")


class Show(Tool):
    def test_table_of_the_file(self):
        result = collbench("show", COMPLETE)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.split("\n")
        self.assertTrue(lines[0].startswith("# collbench 0.1.0 (nccl-tests 2.19.6 layout) mpi="))
        rows = [line.split() for line in lines if line and not line.startswith("#")]
        self.assertEqual(rows[0], ["8", "2", "float", "sum", "-1", "285.21", "0.00", "0.00", "0",
                                   "285.21", "0.00", "0.00", "0"])
        self.assertEqual(rows[1][5:9], ["3000018", "5.73", "N/A", "N/A"])
        self.assertEqual(len(rows), 4)  # what follows is no row to those who read this as nccl-tests'
        self.assertTrue(any(line.startswith("# Spread of the times: ") for line in lines))
        self.assertIn("#          8             2     float     sum      -1     3.33       6"
                      "     3.33       6", lines)
        self.assertTrue(any(line.endswith("in-place wrong: 3 wrong of 4 elements, the first: rank 1, "
                                          "byte 4: expected 3, found 0") for line in lines))
        self.assertTrue(any("skipped: 8 bytes are less" in line for line in lines))
        self.assertIn("# Out of bounds values : 1 FAILED", lines)
        self.assertIn("# Collective test concluded: all_reduce_perf", lines)
        self.assertTrue(any("Host node0.example: AMD EPYC 7B13, 64 cores, 252 GiB" in line
                            for line in lines))

    def test_incomplete_is_said(self):
        result = collbench("show", RUNNING)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("# Collective test incomplete: all_reduce_perf: the run was killed, or is "
                      "still going\n", result.stdout)
        self.assertNotIn("concluded", result.stdout)

    def test_text_of_a_file_cannot_drive_the_terminal(self):
        document = json.loads(COMPLETE.read_text())
        document["run"]["message"] = "red \x1b[31m\nnew line"
        document["run"]["status"] = "error"
        document["environment"]["variables"]["NCCL_X"] = "\x1b]0;title\x07"
        result = collbench("show", self.file(json.dumps(document)))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotRegex(result.stdout, "[\x00-\x09\x0b-\x1f]")


class HostileInput(Tool):
    """Every reader of files is one reader, so validate stands for all, and show for the table."""

    def assert_file_refused(self, content, message):
        path = self.file(content)
        for subcommand in ("validate", "show"):
            self.assert_refused(collbench(subcommand, path), f"{path}: {message}")

    def test_no_file(self):
        path = self.folder / "none.json"
        self.assert_refused(collbench("show", path), f"{path}: there is no such file")

    def test_a_name_cannot_drive_the_terminal(self):
        path = self.folder / "no\n\x1b[31mne.json"
        self.assert_refused(collbench("show", path),
                            f"{self.folder}/no\\n\\x1b[31mne.json: there is no such file")
        path.write_text(COMPLETE.read_text())
        result = collbench("validate", path)
        self.assertRegex(result.stdout, r"^\S+/no\\n\\x1b\[31mne.json: valid, .*\n$")

    def test_no_name(self):
        self.assert_refused(collbench("show", ""), "the name of a file is empty")

    def test_folder(self):
        self.assert_refused(collbench("validate", self.folder),
                            f"{self.folder}: this folder has no *.json; name the files themselves")

    def test_folder_of_files(self):
        for name, text in (("b", COMPLETE.read_text()), ("a", "{"), ("c", COMPLETE.read_text())):
            (self.folder / f"{name}.json").write_text(text)
        result = collbench("validate", self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, "".join(
            f"{self.folder}/{name}.json: valid, 7 rows, status complete\n" for name in "bc"))
        self.assertIn(f"{self.folder}/a.json: the JSON text ends too early", result.stderr)

    def test_device(self):
        self.assert_refused(collbench("validate", "/dev/zero"),
                            "/dev/zero: this is no regular file")

    def test_empty(self):
        self.assert_file_refused("", "the file is empty")

    def test_binary(self):
        self.assert_file_refused(pathlib.Path("/usr/bin/env").read_bytes(),
                                 "line 1: this is not JSON")

    def test_bare_nan(self):
        text = COMPLETE.read_text().replace("285.215", "NaN", 1)
        line = text[:text.index("NaN")].count("\n") + 1
        self.assert_file_refused(text, f"line {line}: 'NaN' is no number in JSON")

    def test_wrong_type(self):
        text = COMPLETE.read_text().replace('"median":285.215', '"median":"285"', 1)
        self.assert_file_refused(text,
                                 "/rows/0/time_us/median: expected a number, found a string")

    def test_later_major_version(self):
        text = COMPLETE.read_text().replace('"schema_version": "1.1"', '"schema_version": "2.0"')
        path = self.file(text)
        result = collbench("validate", path)
        self.assert_refused(result)
        self.assertIn("/schema_version: 2.0 is a format that collbench", result.stderr)

    def test_huge_nesting(self):
        for text in ("[" * 2_000_000, '{"a":' * 1_000_000):
            self.assert_file_refused(text, "nested deeper than 32 levels: not a result file")

    def test_truncated(self):
        text = COMPLETE.read_bytes()
        for length in range(1, len(text) - 2, len(text) // 15):
            with self.subTest(length):
                self.assert_refused(collbench("validate", self.file(text[:length])))

    def test_damaged_bytes_never_crash(self):
        chance = random.Random(1)
        for round_ in range(40):
            text = bytearray(COMPLETE.read_bytes())
            for _ in range(chance.randint(1, 4)):
                text[chance.randrange(len(text))] = chance.randrange(256)
            result = collbench("show", self.file(bytes(text)))
            self.assertIn(result.returncode, (0, 2), f"round {round_}: {result.output}")

    def test_unreadable(self):
        path = self.file(COMPLETE.read_bytes())
        path.chmod(0)
        self.folder.chmod(0o755)
        # Permissions do not hold for root, and nobody may not reach the build folder.
        tool = shutil.copy(launch.program_path("collbench"), self.folder)
        user = "nobody" if os.geteuid() == 0 else None
        result = subprocess.run([tool, "show", path], user=user, capture_output=True, text=True,
                                check=False, cwd=self.folder)
        self.assert_refused(result, f"{path}: Permission denied")

    def test_damaged_rows(self):
        path = self.folder / "file.json"
        shutil.copy(RUNNING, path)
        rows = self.folder / "file.json.rows"
        rows.write_text("{\n")
        self.assert_refused(collbench("show", path),
                            f"{rows}, line 1: the JSON text ends too early: the file is cut off")


if __name__ == "__main__":
    unittest.main()
