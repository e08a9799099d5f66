# SPDX-License-Identifier: Apache-2.0
# The test runner counts what ran, and never takes a crash, a hang or an empty run for success.

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import launch
import run

GOOGLETEST_REPORT = """<testsuites><testsuite>
<testcase name="Good" classname="S" status="run" result="completed"/>
<testcase name="Bad" classname="S" status="run" result="completed"><failure message="1 != 2"/></testcase>
<testcase name="Late" classname="S" status="run" result="skipped">
<skipped message="x_test.cpp:7&#x0A;requires netns, and this machine has none"/></testcase>
<testcase name="Off" classname="S" status="notrun" result="suppressed"/>
</testsuite></testsuites>"""

PASSING_REPORT = """<testsuite>
<testcase name="Good" classname="S" status="run" result="completed"/></testsuite>"""

# A stand-in for a googletest binary: writes the report it is asked for, and ends with a status.
FAKE_BINARY = """#!/bin/sh
for word; do case $word in --gtest_output=xml:*) cat > "${word#*xml:}" <<'END'
%s
END
esac; done
exit %d
"""


class Runner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "tests").mkdir()
        (self.root / "build").mkdir()
        for name in ("run.py", "run_file.py", "launch.py", "backends.py", "jobs.py", "reports.py", "repeat.py",
                     "nccl_runs.py"):
            shutil.copy(launch.ROOT / "tests" / name, self.root / "tests")

    def run_suites(self, *command, **env):
        """Runs a copy of the runner, or of another script, over what the test put there: (status, last line, output)."""
        clean = {k: v for k, v in os.environ.items() if k not in ("COLLBENCH_BUILD", "COLLBENCH_REQUIRE", "TEST_RANKS")}
        clean |= {"TEST_JOBS": "1"}
        script, *arguments = command or ("run.py",)
        done = subprocess.run(["/usr/bin/python3", self.root / "tests" / script, *arguments], env=clean | env,
                              capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, (done.stdout.splitlines() or [""])[-1], done.stdout + done.stderr

    def write_cases(self, body):
        text = f"import unittest\nclass T(unittest.TestCase):\n{body}"
        (self.root / "tests/sample_test.py").write_text(text)

    def write_binary(self, name, report, status):
        path = self.root / "build" / name
        path.write_text(FAKE_BINARY % (report, status))
        path.chmod(0o755)

    def test_nothing_to_run_is_a_failure(self):
        self.assertEqual(self.run_suites()[:2], (1, "0 passed, 0 failed"))

    def test_counts_cases(self):
        self.write_cases("  def test_a(self): pass\n  def test_b(self): pass\n")
        self.assertEqual(self.run_suites()[:2], (0, "2 passed, 0 failed"))

    def test_a_failure_names_its_case(self):
        self.write_cases("  def test_a(self): self.assertEqual(1, 2)\n  def test_b(self): pass\n")
        status, last, output = self.run_suites()
        self.assertEqual((status, last), (1, "1 passed, 1 failed"))
        self.assertIn("sample_test.T.test_a", output)
        self.assertIn("1 != 2", output)

    def test_failures_are_named_again_at_the_end(self):
        self.write_cases("  def test_a(self): self.assertEqual(1, 2)\n  def test_b(self): pass\n"
                         "  def test_c(self): self.assertEqual(3, 4)\n")
        self.write_binary("unit_tests", GOOGLETEST_REPORT, 1)
        self.assertEqual(self.run_suites()[2].splitlines()[-4:], [
            "failed: unit S.Bad", "failed: sample_test sample_test.T.test_a", "failed: sample_test sample_test.T.test_c",
            "2 passed, 3 failed, 1 skipped"])

    def test_shards_are_one_suite(self):
        path = self.root / "build/unit_tests"
        self.write_binary("unit_tests", PASSING_REPORT, 0)
        path.write_text(path.read_text().replace('"Good"', '"Good$GTEST_SHARD_INDEX"').replace("'END'", "END")
                        .replace("exit 0", 'exit "$((GTEST_SHARD_INDEX == GTEST_TOTAL_SHARDS - 1))"'))
        status, _, output = self.run_suites(TEST_JOBS="3")
        self.assertRegex(output, r"\nunit: 4 run, [0-9.]+ s\n")  # the last shard died after its case
        self.assertEqual((status, output.splitlines()[-2:]), (1, ["failed: unit", "3 passed, 1 failed"]))

    def test_files_without_ranks_run_beside_one_another(self):
        meet = ("import pathlib, time, unittest\n{marker}\nclass T(unittest.TestCase):\n  def test_a(self):\n"
                "    pathlib.Path('{own}').touch()\n    deadline = time.monotonic() + {patience_s}\n"
                "    while not pathlib.Path('{other}').exists():\n      self.assertLess(time.monotonic(), deadline)\n"
                "      time.sleep(0.01)\n    pathlib.Path('{other}').unlink()\n")
        for marker, patience_s, totals in (("STARTS_NO_RANKS = True", 30, "2 passed, 0 failed"),
                                           ("", 0.1, "1 passed, 1 failed")):
            with self.subTest(marker):
                for own, other in (("a", "b"), ("b", "a")):
                    text = meet.format(marker=marker, own=own, other=other, patience_s=patience_s)
                    (self.root / f"tests/{own}_test.py").write_text(text)
                self.assertEqual(self.run_suites(TEST_JOBS="2")[1], totals)

    def test_a_file_that_says_it_starts_no_ranks_cannot(self):
        (self.root / "tests/a_test.py").write_text(
            "import unittest\nimport launch\nSTARTS_NO_RANKS = True\nclass T(unittest.TestCase):\n"
            "  def test_a(self): launch.run_ranks(1, '/bin/true')\n")
        status, _, output = self.run_suites()
        self.assertEqual(status, 1)
        self.assertIn("this file says STARTS_NO_RANKS", output)

    def test_a_crash_names_the_case_it_happened_in(self):
        for last, name in (("[ RUN      ] S.Dies", "unit in S.Dies"), ("[       OK ] S.Good (0 ms)", "unit")):
            with self.subTest(last):
                path = self.root / "build/unit_tests"
                path.write_text(f"#!/bin/sh\necho '[ RUN      ] S.Good'\necho '{last}'\nkill -6 $$\n")
                path.chmod(0o755)
                self.assertEqual(self.run_suites()[2].splitlines()[-2:], [f"failed: {name}", "0 passed, 1 failed"])

    def test_two_failed_subtests_are_one_failed_case(self):
        self.write_cases("  def test_a(self):\n    for i in range(3):\n"
                         "      with self.subTest(i=i): self.assertEqual(i, 1)\n")
        self.assertEqual(self.run_suites()[:2], (1, "0 passed, 1 failed"))

    def test_a_file_that_cannot_be_imported_fails(self):
        (self.root / "tests/sample_test.py").write_text("import no_such_module\n")
        self.assertEqual(self.run_suites()[:2], (1, "0 passed, 1 failed"))

    def test_a_child_that_dies_is_a_failure(self):
        self.write_cases("  def test_a(self):\n    import os; os._exit(0)\n")
        self.assertEqual(self.run_suites()[:2], (1, "0 passed, 1 failed"))

    def test_rounds_that_fail_now_and_then_are_counted_and_shown(self):
        self.write_cases("  def test_a(self):\n    import pathlib\n    marker = pathlib.Path('../first')\n"
                         "    if not marker.exists():\n      marker.touch()\n      self.fail('only once')\n")
        status, last, output = self.run_suites("repeat.py", "2", "sample")
        self.assertEqual((status, last), (1, "1 of 2"))
        self.assertIn("only once", output)
        self.assertEqual(self.run_suites("repeat.py", "2", "sample")[:2], (0, "2 of 2"))

    def test_what_cannot_be_repeated_is_said(self):
        self.assertEqual(self.run_suites("repeat.py", "1", "nccl")[0], 2)
        self.assertEqual(self.run_suites("repeat.py", "0", "sample")[0], 1)

    def test_a_skip_counts_as_skip(self):
        self.write_cases("  @unittest.skip('requires plugin: no nvcc')\n  def test_a(self): pass\n"
                         "  def test_b(self): pass\n")
        self.assertEqual(self.run_suites()[:2], (0, "1 passed, 0 failed, 1 skipped"))
        self.assertEqual(self.run_suites(COLLBENCH_REQUIRE="netns")[:2],
                         (0, "1 passed, 0 failed, 1 skipped"))

    def test_a_required_skip_is_a_failure(self):
        self.write_cases("  @unittest.skip('requires plugin: no nvcc')\n  def test_a(self): pass\n")
        status, last, output = self.run_suites(COLLBENCH_REQUIRE="netns,plugin")
        self.assertEqual((status, last), (1, "0 passed, 1 failed"))
        self.assertIn("COLLBENCH_REQUIRE", output)

    def test_reads_googletest(self):
        self.write_binary("unit_tests", GOOGLETEST_REPORT, 1)
        self.assertEqual(self.run_suites()[:2], (1, "1 passed, 1 failed, 1 skipped"))
        self.assertEqual(self.run_suites(COLLBENCH_REQUIRE="netns")[:2], (1, "1 passed, 2 failed"))

    def test_a_binary_without_a_report_is_a_failure(self):
        for status in (0, 139):
            with self.subTest(status=status):
                path = self.root / "build/unit_tests"
                path.write_text(f"#!/bin/sh\nexit {status}\n")
                path.chmod(0o755)
                self.assertEqual(self.run_suites()[:2], (1, "0 passed, 1 failed"))

    def test_a_binary_that_ends_badly_after_passing_is_a_failure(self):
        self.write_binary("unit_tests", PASSING_REPORT, 86)
        self.assertEqual(self.run_suites()[:2], (1, "1 passed, 1 failed"))

    def test_mpi_counts_rank_0_at_each_rank_count(self):
        self.write_binary("mpi_tests", PASSING_REPORT, 0)
        self.assertEqual(self.run_suites(TEST_RANKS="2")[:2], (0, "2 passed, 0 failed"))

    def test_on_real_gpus_nothing_else_is_tested(self):
        self.write_cases("  def test_a(self): pass\n")
        self.write_binary("unit_tests", PASSING_REPORT, 0)
        self.write_binary("nccl_tests", PASSING_REPORT, 0)
        for name in run.ON_REAL_GPUS:
            shutil.copy(self.root / "tests/sample_test.py", self.root / f"tests/{name}.py")
        ran = 1 + 2 * len(run.ON_REAL_GPUS)  # by processes and by threads
        self.assertEqual(self.run_suites(TEST_GPUS="1")[:2], (0, f"{ran} passed, 0 failed"))

    def test_mpi_fails_when_any_rank_fails(self):
        path = self.root / "build/mpi_tests"
        self.write_binary("mpi_tests", PASSING_REPORT, 0)
        path.write_text(path.read_text().replace("exit 0", "[ $# = 1 ]"))  # rank 1 has no argument
        self.assertEqual(self.run_suites(TEST_RANKS="2")[:2], (1, "2 passed, 1 failed"))


class Launcher(unittest.TestCase):
    def test_a_child_that_hangs_is_killed_with_its_children(self):
        result = launch.run_program("/bin/sh", "-c", "sleep 1000 & echo $!; wait", timeout=0.3)
        self.assertTrue(result.timed_out)
        self.assertLess(result.returncode, 0)
        # The grandchild is gone, or a zombie that nobody has collected yet.
        stat = pathlib.Path(f"/proc/{int(result.stdout)}/stat")
        deadline = time.monotonic() + 10  # a busy machine takes its time to end what was killed
        while stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] not in "ZX":
            self.assertLess(time.monotonic(), deadline, stat.read_text())
            time.sleep(0.02)

    def test_output_and_status_arrive(self):
        result = launch.run_program("/bin/sh", "-c", "echo out; echo err >&2; exit 3")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (3, "out\n", "err\n"))

    def test_ranks_start(self):
        result = launch.run_ranks(2, "/bin/echo", "here")
        self.assertEqual((result.returncode, result.stdout), (0, "here\nhere\n"))


if __name__ == "__main__":
    unittest.main()
