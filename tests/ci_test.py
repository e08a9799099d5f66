# SPDX-License-Identifier: Apache-2.0
# .ci/run adds up the totals of its steps, and a step that ends badly counts even if it reports nothing.

import os
import pathlib
import tempfile
import unittest

import launch

STARTS_NO_RANKS = True

# Stands in for make: prints what the test wants of each goal, and ends as it wants.
FAKE_MAKE = """#!/bin/sh
case $1 in
setup) %s ;;
sanitized) %s ;;
test) %s ;;
lint) %s ;;
sanitize) %s ;;
fuzz) %s ;;
*) exit 9 ;;
esac
"""


class Ci(unittest.TestCase):
    def run_ci(self, *steps, **builds):
        """The status and last line of .ci/run when its goals do what `steps` say."""
        status, lines = self.lines_of_ci(*steps, **builds)
        return status, lines[-1]

    def lines_of_ci(self, *steps, build="true", build_beside="true"):
        """The status and all lines."""
        with tempfile.TemporaryDirectory() as folder:
            make = pathlib.Path(folder) / "make"
            make.write_text(FAKE_MAKE % (build, build_beside, *(steps + ("echo 12 passed, 0 failed",))[:4]))
            make.chmod(0o755)
            path = {"PATH": f"{folder}:{os.environ['PATH']}"}
            result = launch.run_program(launch.ROOT / ".ci/run", env=path)
            return result.returncode, result.stdout.splitlines()

    def test_adds_totals(self):
        self.assertEqual(
            self.run_ci("echo 10 passed, 0 failed, 2 skipped", "echo 5 passed, 0 failed",
                        "echo 7 passed, 0 failed, 1 skipped"),
            (0, "34 passed, 0 failed, 3 skipped"))

    def test_a_failure_in_any_step_fails(self):
        self.assertEqual(
            self.run_ci("echo 10 passed, 2 failed; exit 1", "echo 4 passed, 1 failed; exit 1",
                        "echo 7 passed, 0 failed"),
            (1, "33 passed, 3 failed"))

    def test_a_step_that_does_not_build_is_one_failure(self):
        self.assertEqual(
            self.run_ci("echo x.cpp: error >&2; exit 2", "echo 5 passed, 0 failed",
                        "echo 7 passed, 0 failed"),
            (1, "24 passed, 1 failed"))

    def test_a_step_that_says_nothing_is_one_failure(self):
        self.assertEqual(
            self.run_ci("echo 1 passed, 0 failed", "echo 5 passed, 0 failed", "true"),
            (1, "18 passed, 1 failed"))

    def test_the_sanitized_build_runs_beside_the_tests_and_is_over_before_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(
                self.run_ci(f"while [ ! -e {folder}/started ]; do sleep 0.01; done; echo 1 passed, 0 failed",
                            "echo 5 passed, 0 failed",
                            f"[ -e {folder}/built ] && echo 7 passed, 0 failed",
                            build_beside=f"touch {folder}/started; sleep 0.5; touch {folder}/built; exit 2"),
                (0, "25 passed, 0 failed"))

    def test_fuzzing_runs_beside_the_sanitized_tests_and_counts_after_them(self):
        with tempfile.TemporaryDirectory() as folder:
            status, lines = self.lines_of_ci(
                "echo 1 passed, 0 failed", "echo 5 passed, 0 failed",
                f"while [ ! -e {folder}/fuzzing ]; do sleep 0.01; done; echo 7 passed, 0 failed",
                f"touch {folder}/fuzzing; sleep 0.5; echo found; exit 2")
        self.assertEqual((status, lines[-5:]), (1, [
            "== fuzz", "found", "== fuzz: ended with status 2", "failed in fuzz: ended with status 2: ",
            "13 passed, 1 failed"]))

    def test_nothing_is_built_beside_where_the_build_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(
                self.run_ci("exit 2", "echo 5 passed, 0 failed", f"[ ! -e {folder}/built ] && echo 7 passed, 0 failed",
                            build="exit 2", build_beside=f"touch {folder}/built"),
                (1, "24 passed, 1 failed"))

    def test_every_failure_is_named_at_the_end_with_its_step(self):
        status, lines = self.lines_of_ci(
            "printf 'failed: unit S.A\\nfailed: x_test x_test.T.test_b & c\\n2 passed, 2 failed\\n'; exit 1",
            "echo 5 passed, 0 failed",
            "printf 'x.o\\nx.cpp:3:1: error: no such thing\\nmake: *** [Makefile:1: x.o] Error 1\\n' >&2; exit 2",
            "printf 'failed: model\\n11 passed, 1 failed\\n'; exit 1")
        self.assertEqual((status, lines[-5:]), (1, [
            "failed in make test: unit S.A",
            "failed in make test: x_test x_test.T.test_b & c",
            "failed in make sanitize: ended with status 2: x.cpp:3:1: error: no such thing",
            "failed in fuzz: model",
            "18 passed, 4 failed"]))

    def test_fuzzing_names_the_readers_that_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            fuzzers = pathlib.Path(folder) / "fuzzers"
            fuzzers.write_text("#!/bin/sh\n[ $FUZZ_TARGET != osu ]\n")
            fuzzers.chmod(0o755)
            result = launch.run_program(launch.ROOT / "scripts/fuzz.sh", folder, "1", "osu", "imb")
        self.assertEqual((result.returncode, result.stdout.splitlines()[-2:]),
                         (1, ["failed: osu", "1 passed, 1 failed"]))


if __name__ == "__main__":
    unittest.main()
