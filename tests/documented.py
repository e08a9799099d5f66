# SPDX-License-Identifier: Apache-2.0
# Runs the shell blocks of a page of docs/ and looks for the lines that stand below them.

import os
import re
import subprocess

import launch

PRINTED_BLOCK = re.compile(r"```sh\n(.*?)```\n\n```\n(.*?)```", re.DOTALL)


def check_page(test, name, folder, status=0):
    """Each line below a block of commands is among those that these print in the folder, where build/ is what was
    built."""
    os.symlink(launch.BUILD, folder / "build")
    blocks = PRINTED_BLOCK.findall((launch.ROOT / "docs" / name).read_text())
    test.assertTrue(blocks)
    for block, below in blocks:
        ended = subprocess.run(["bash", "-c", block], cwd=folder, env=launch.environment(), capture_output=True, text=True,
                               timeout=60, check=False)
        test.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        printed = [line.rstrip() for line in ended.stdout.splitlines()]
        for line in below.splitlines():
            with test.subTest(page=name, line=line):
                test.assertIn(line.rstrip(), printed)
