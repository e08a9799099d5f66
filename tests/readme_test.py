# SPDX-License-Identifier: Apache-2.0
# Every command in README.md and in docs/patterns/ works as it stands there, prints what stands below it, and what
# the pages point at is there.
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

import backends
from launch import BUILD, ROOT, environment, launcher, on_fakes, run_program, run_ranks

TEXT = (ROOT / "README.md").read_text()
GPU_SECTION = re.search(r"^## On GPUs\n.*?(?=^## )", TEXT, re.DOTALL | re.MULTILINE).group()
PATTERN_PAGES = sorted((ROOT / "docs/patterns").glob("*.md"))
SHELL_BLOCK = r"```sh\n(.*?)```"
# Below a shell block: lines that its commands print among others.
PRINTED_BLOCK = SHELL_BLOCK + r"\n\n```\n(.*?)```"


def commands(block):
    """The lines of a shell block, in order; building is what the test runner has done."""
    for line in block.splitlines():
        if line != "make":
            yield re.sub(r"^mpirun\b", shlex.join(launcher()), line)


class Page(unittest.TestCase):
    """Runs the commands of a page in a folder where build/ is what was built."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.symlink(BUILD, pathlib.Path(self.folder) / "build")

    def output_of(self, block, variables=None):
        printed = ""
        for line in commands(block):
            with self.subTest(command=line):
                ended = subprocess.run(line, shell=True, cwd=self.folder, env=environment(variables),
                                       capture_output=True, text=True, timeout=120)
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
                printed += ended.stdout
        return printed


@unittest.skipUnless(backends.has_nccl(BUILD), "requires plugin: CUDA's compiler and nccl.h")
class Gpu(Page):
    """What is said of GPUs is tried on the fakes, at sizes and counts that suit them."""

    def test_the_commands_work(self):
        for text in (GPU_SECTION, (ROOT / "docs/gpu.md").read_text()):
            blocks = re.findall(SHELL_BLOCK, text, re.DOTALL)
            self.assertTrue(blocks)
            for block in blocks:
                block = re.sub(r"make tests && ", "", block)
                block = re.sub(r"-b \S+ -e (8G|1M)", "-b 8 -e 64 -n 2", block)
                block = re.sub(r"--nccl-lib \S+", f"-b 8 -e 64 -n 2 --nccl-lib {BUILD}/fakes/libnccl.so.2", block)
                self.output_of(block, on_fakes())


class Patterns(Page):
    def test_their_commands_print_what_stands_below(self):
        for page in PATTERN_PAGES:
            for block, below in re.findall(PRINTED_BLOCK, page.read_text(), re.DOTALL):
                printed = [line.rstrip() for line in self.output_of(block).splitlines()]
                for line in below.splitlines():
                    with self.subTest(page=page.name, commands=block, line=line):
                        self.assertIn(line.rstrip(), printed)

    def test_no_command_stands_alone(self):
        for page in PATTERN_PAGES:
            text = page.read_text()
            self.assertEqual(len(re.findall(SHELL_BLOCK, text, re.DOTALL)),
                             len(re.findall(PRINTED_BLOCK, text, re.DOTALL)), page.name)

    def test_their_links_lead_somewhere(self):
        for page in PATTERN_PAGES:
            for target in re.findall(r"\]\(([^)#:]+)[)#]", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")


class Readme(Page):
    def test_its_commands_work(self):
        for block in re.findall(SHELL_BLOCK, TEXT.replace(GPU_SECTION, ""), re.DOTALL):
            self.output_of(block)

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
