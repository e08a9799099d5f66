# SPDX-License-Identifier: Apache-2.0
# .ci/run adds up the totals of its steps, and a step that ends badly counts even if it reports nothing.

import os
import pathlib
import tempfile
import unittest

import launch

# Stands in for make: prints what the test wants of each goal, and ends as it wants.
FAKE_MAKE = """#!/bin/sh
case $1 in
test) %s ;;
lint) %s ;;
sanitize) %s ;;
*) exit 9 ;;
esac
"""


class Ci(unittest.TestCase):
    def run_ci(self, *steps):
        """The status and last line of .ci/run when its three goals do what `steps` say."""
        with tempfile.TemporaryDirectory() as folder:
            make = pathlib.Path(folder) / "make"
            make.write_text(FAKE_MAKE % steps)
            make.chmod(0o755)
            path = {"PATH": f"{folder}:{os.environ['PATH']}"}
            result = launch.run_program(launch.ROOT / ".ci/run", env=path)
            return result.returncode, result.stdout.splitlines()[-1]

    def test_adds_totals(self):
        self.assertEqual(
            self.run_ci("echo 10 passed, 0 failed, 2 skipped", "echo 5 passed, 0 failed",
                        "echo 7 passed, 0 failed, 1 skipped"),
            (0, "22 passed, 0 failed, 3 skipped"))

    def test_a_failure_in_any_step_fails(self):
        self.assertEqual(
            self.run_ci("echo 10 passed, 2 failed; exit 1", "echo 4 passed, 1 failed; exit 1",
                        "echo 7 passed, 0 failed"),
            (1, "21 passed, 3 failed"))

    def test_a_step_that_does_not_build_is_one_failure(self):
        self.assertEqual(
            self.run_ci("echo x.cpp: error >&2; exit 2", "echo 5 passed, 0 failed",
                        "echo 7 passed, 0 failed"),
            (1, "12 passed, 1 failed"))

    def test_a_step_that_says_nothing_is_one_failure(self):
        self.assertEqual(
            self.run_ci("echo 1 passed, 0 failed", "echo 5 passed, 0 failed", "true"),
            (1, "6 passed, 1 failed"))


if __name__ == "__main__":
    unittest.main()
