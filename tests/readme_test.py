# SPDX-License-Identifier: Apache-2.0
# Every command in README.md works as it stands there, and what docs/ point at is there.
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from launch import BUILD, ROOT, environment, launcher, run_program, run_ranks

TEXT = (ROOT / "README.md").read_text()


def commands():
    """The lines of README's shell blocks, in order; building is what the test runner has done."""
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL):
        for line in block.splitlines():
            if line != "make":
                yield re.sub(r"^mpirun\b", shlex.join(launcher()), line)


class Readme(unittest.TestCase):
    def test_its_commands_work(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(BUILD, pathlib.Path(folder) / "build")
            for line in commands():
                with self.subTest(command=line):
                    ended = subprocess.run(line, shell=True, cwd=folder, env=environment(),
                                           capture_output=True, text=True, timeout=120)
                    self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_its_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#:]+)[)#]", TEXT):
            self.assertTrue((ROOT / target).exists(), target)

    def test_its_table_is_what_the_program_prints(self):
        ended = run_ranks(2, "all_reduce_perf", "-b", "8", "-e", "8", "-n", "1")
        titles = [line for line in ended.stdout.splitlines() if "algbw" in line or "redop" in line]
        self.assertTrue(titles)
        for line in titles:
            self.assertIn(line.rstrip(), TEXT)


class Testing(unittest.TestCase):
    def test_the_filters_of_its_examples_select_tests(self):
        text = (ROOT / "docs/testing.md").read_text()
        filters = re.findall(r"build/unit_tests (--gtest_filter=\S+)", text)
        self.assertTrue(filters)
        for option in filters:
            listed = run_program("unit_tests", "--gtest_list_tests", *shlex.split(option))
            self.assertIn("\n  ", listed.stdout, option)


if __name__ == "__main__":
    unittest.main()
