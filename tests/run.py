#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Runs every test of a build folder and ends with the line `N passed, N failed[, N skipped]`.
"""Usage: tests/run.py [NAME...]     NAME selects suites by part of their name: unit, mpi, launch_test

Five kinds of suites: the unit-test binary; the MPI test binary at each rank count; the tests of the
fakes of NVIDIA's libraries and of the plugin on them, where they are built; tests/*_test.py; some of
these once more on the fakes.
Environment:
  COLLBENCH_BUILD    the build folder to test (build)
  COLLBENCH_REQUIRE  names, comma separated; a test skipped with "requires NAME..." then fails
  TEST_RANKS         the largest rank count (4)
Status 1 when any test fails or none ran.
"""

import os
import pathlib
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

import backends
import launch

# End-to-end tests that run once more on GPUs that are fakes, by process and by thread.
ON_EVERY_BACKEND = ("collectives_test", "groups_test", "sampling_test", "matrix_test", "verdict_test", "soak_test",
                    "nccl_tests_cases_test", "ends_perf_test", "operation_log_test", "replay_test")

UNIT_TIMEOUT_S = 300
MPI_TIMEOUT_S = 300
PYTHON_TIMEOUT_S = 600


class Tally:
    """Counts of cases over all suites."""

    def __init__(self, required):
        self.required = [name.strip() for name in required.split(",") if name.strip()]
        self.passed = 0
        self.failed = 0
        self.skipped = 0

    def add(self, case, outcome, detail=""):
        """One case. `outcome` is passed, failed or skipped; `detail` is the reason of the last two."""
        if outcome == "skipped" and self._is_required(detail):
            outcome, detail = "failed", f"skipped, but COLLBENCH_REQUIRE asks for it: {detail}"
        if outcome == "passed":
            self.passed += 1
        elif outcome == "skipped":
            self.skipped += 1
            print(f"  skipped {case}: {detail}")
        else:
            self.failed += 1
            print(f"  FAILED {case}" + (f"\n{indent(detail)}" if detail else ""))

    def _is_required(self, reason):
        """Whether the reason reads "requires NAME" with a name that must not be missing."""
        words = reason.split()
        return len(words) > 1 and words[0] == "requires" and words[1].strip(",.:;") in self.required

    def line(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def indent(text):
    return "\n".join(f"    {line}" for line in text.strip().splitlines())


def tail(text, lines=40):
    return "\n".join(text.strip().splitlines()[-lines:])


def read_googletest(path):
    """Yields (name, outcome, detail) of each case in a report of GoogleTest."""
    for case in xml.parse(path).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        failures = [failure.get("message", "") for failure in case.findall("failure")]
        skips = [skip.get("message", "") for skip in case.findall("skipped")]
        if case.get("status") == "notrun":
            continue  # disabled or filtered out: it never was a test of this run
        if failures:
            yield name, "failed", "\n".join(failures)
        elif skips or case.get("result") == "skipped":
            # GoogleTest puts "FILE:LINE\n" before the reason.
            yield name, "skipped", " ".join(skips).split("\n", 1)[-1].strip()
        else:
            yield name, "passed", ""


def count(tally, suite, result, report, cases):
    """Adds a suite's cases, and one failure more if it ended badly without saying which case did."""
    failed_before = tally.failed
    found = 0
    if report.exists():
        for name, outcome, detail in cases(report):
            tally.add(f"{suite} {name}", outcome, detail)
            found += 1
    if result.timed_out:
        tally.add(suite, "failed", f"deadline passed\n{tail(result.output)}")
    elif result.returncode != 0 and tally.failed == failed_before:
        tally.add(suite, "failed", f"ended with status {result.returncode}\n{tail(result.output)}")
    elif found == 0 and result.returncode == 0:
        tally.add(suite, "failed", "ran no test")


def run_unit(tally, report, suite, program, env=None):
    result = launch.run_program(
        program, f"--gtest_output=xml:{report}", timeout=UNIT_TIMEOUT_S, env=env)
    count(tally, suite, result, report, read_googletest)


def run_mpi(tally, report, ranks):
    """Only rank 0 writes a report, so that ranks do not overwrite each other's."""
    program = launch.program_path("mpi_tests")
    command = launch.mpirun(1, program, f"--gtest_output=xml:{report}")
    if ranks > 1:
        command += [":", "-n", str(ranks - 1), program]
    with launch.start(*command) as running:
        result = running.wait(MPI_TIMEOUT_S)
    count(tally, f"mpi-{ranks}", result, report, read_googletest)


def run_python(tally, report, path, backend="mpi"):
    runner = launch.ROOT / "tests" / "run_file.py"
    result = launch.run_program(
        sys.executable, runner, path, report, timeout=PYTHON_TIMEOUT_S, cwd=launch.ROOT / "tests",
        env={"TEST_BACKEND": backend})
    count(tally, path.stem if backend == "mpi" else f"{backend}-{path.stem}", result, report, read_unittest)


def read_unittest(path):
    """Yields (name, outcome, detail) of each case in a report of run_file.py."""
    for case in xml.parse(path).iter("testcase"):
        yield case.get("name"), case.get("outcome"), case.text or ""


def suites():
    """Yields (name, function of tally and report path) of everything there is to run."""
    if (launch.BUILD / "unit_tests").exists():
        yield "unit", lambda tally, report: run_unit(tally, report, "unit", "unit_tests")
    if (launch.BUILD / "mpi_tests").exists():
        for ranks in launch.rank_counts():
            yield f"mpi-{ranks}", lambda tally, report, n=ranks: run_mpi(tally, report, n)
    for path in sorted((launch.BUILD / "fakes").glob("*_tests")):
        yield path.stem, lambda tally, report, file=path: run_unit(tally, report, file.stem, file)
    if (launch.BUILD / "nccl_tests").exists():
        yield "nccl", lambda tally, report: run_unit(
            tally, report, "nccl", "nccl_tests", launch.on_fakes())
    for path in sorted((launch.ROOT / "tests").glob("*_test.py")):
        yield path.stem, lambda tally, report, file=path: run_python(tally, report, file)
    if not backends.has_nccl(launch.BUILD):
        return  # nccl_plugin_test says so
    for backend in backends.ON_FAKES[-1:] if launch.sanitized() else backends.ON_FAKES:
        for name in ON_EVERY_BACKEND:
            yield f"{backend}-{name}", lambda tally, report, file=launch.ROOT / "tests" / f"{name}.py", on=backend: \
                run_python(tally, report, file, on)


def main(selected):
    tally = Tally(os.environ.get("COLLBENCH_REQUIRE", ""))
    with tempfile.TemporaryDirectory() as folder:
        for name, run in suites():
            if selected and not any(part in name for part in selected):
                continue
            start_s, ran_before = time.monotonic(), tally.passed + tally.failed
            print(f"{name} ...", flush=True)
            run(tally, pathlib.Path(folder) / f"{name}.xml")
            cases = tally.passed + tally.failed - ran_before
            print(f"{name}: {cases} run, {time.monotonic() - start_s:.1f} s", flush=True)
    if tally.passed + tally.failed == 0:
        print("no test ran: nothing is built, or no suite has such a name")
    print(tally.line())
    return 0 if tally.passed and not tally.failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
