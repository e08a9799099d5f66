# SPDX-License-Identifier: Apache-2.0
# Flags from a file, as --config reads them: the command line wins, and every mistake names its place.
import json
import pathlib
import tempfile
import unittest

from launch import mpirun, program_path, run_ranks, start


class ConfigFile(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "run.toml"

    def run_with(self, text, *flags):
        self.file.write_text(text)
        return run_ranks(2, "all_reduce_perf", "--config", self.file, *flags)

    def test_flags_of_the_file_hold_where_the_command_line_has_none(self):
        path = self.folder / "run.json"
        result = self.run_with('minbytes = 64\nmaxbytes = "1K" # 1024\nstepfactor = 16\niters = 3\n'
                               f'force = true\noutput_file = "{path}"\n', "-e", "64", "--iters=2")
        self.assertEqual(result.returncode, 0, result.output)
        document = json.loads(path.read_text())
        self.assertEqual([row["message_bytes"] for row in document["rows"]], [64, 64])
        self.assertEqual(document["config"]["fixed_iterations"], 2)
        # What was measured can be started again without the file.
        self.assertIn("--minbytes=64", document["config"]["arguments"])
        self.assertNotIn("--iters=3", document["config"]["arguments"])

    def test_mistakes_name_the_file(self):
        for text, message in (("minbites = 8\n", r", line 1: minbites is no flag that a file can give; .*"),
                              ("iters = 2\nnonsense\n", r", line 2: 'nonsense' is no flag; .*"),
                              ("iters = 2\niters = 3\n", r", line 2: iters is given twice, first in line 1"),
                              ("force = maybe\n", r", line 1: force is given or not: write true or false"),
                              ("config = other\n", r", line 1: config is no flag that a file can give; .*"),
                              ("version = true\n", r", line 1: version is no flag that a file can give; .*"),
                              ("minbytes = 12Q\n", r": -b: '12Q' has an unknown unit; .*"),
                              ("iters = -3\n", r": -n: '-3' is not a whole number of at least 1.*"),
                              ("ngpus = 8\n", r": -g 8: .*")):
            with self.subTest(text=text):
                result = self.run_with(text)
                self.assertEqual(result.returncode, 2, result.output)
                self.assertEqual(result.stdout, "")
                self.assertRegex(result.stderr, f"^all_reduce_perf: {self.file}{message}\n$")

    def test_a_mistake_on_the_command_line_is_not_the_files(self):
        result = self.run_with("minbytes = 8\n", "-b", "12Q")
        self.assertRegex(result.stderr, r"^all_reduce_perf: -b: '12Q' ")

    def test_files_that_cannot_be_read(self):
        for path, why in ((self.folder / "none", "there is no such file"),
                          (self.folder, "this is a folder; .*"), ("/dev/zero", "this is no regular file")):
            result = run_ranks(2, "all_reduce_perf", "--config", path)
            self.assertEqual(result.returncode, 2, result.output)
            self.assertRegex(result.stderr, f"^all_reduce_perf: {path}: {why}\n$")

    def test_ranks_whose_files_differ_are_refused(self):
        other = self.folder / "other"
        other.mkdir()
        (self.folder / "flags").write_text("minbytes = 8\nmaxbytes = 8\n")
        program = program_path("all_reduce_perf")
        for theirs in ("minbytes = 16\nmaxbytes = 16\n", None):
            if theirs:
                (other / "flags").write_text(theirs)
            else:
                (other / "flags").unlink()
            command = [*mpirun(1, "-wdir", self.folder, program, "--config", "flags"), ":", "-n", "1",
                       "-wdir", other, program, "--config", "flags"]
            with start(*command) as running:
                result = running.wait(30)
            self.assertEqual(result.returncode, 2, result.output)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertRegex(result.stderr, r"^all_reduce_perf: rank 1 on \S+ has the arguments .*, but rank 0 has ")


if __name__ == "__main__":
    unittest.main()
