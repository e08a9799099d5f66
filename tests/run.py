#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Runs every test of a build folder and ends with a line `failed: CASE` for each that failed, and the line
# `N passed, N failed[, N skipped]`.
"""Usage: tests/run.py [NAME...]     NAME selects suites by part of their name: unit, mpi, launch_test

Five kinds of suites: the unit-test binary; the MPI test binary at each rank count; the tests of the
fakes of NVIDIA's libraries and of the plugin on them, where they are built; tests/*_test.py; some of
these once more on the fakes. The unit tests, in as many shards as there are cores, and the files that say STARTS_NO_RANKS
run beside one another first; then, one at a time, all that may start ranks.
Where TEST_GPUS says how many GPUs there are: the tests of the plugin and those that run on them, and nothing else.
Environment:
  COLLBENCH_BUILD    the build folder to test (build)
  COLLBENCH_REQUIRE  names, comma separated; a test skipped with "requires NAME..." then fails
  TEST_RANKS         the largest rank count (4)
  TEST_JOBS          how many shards and files run beside one another (one for each core)
Status 1 when any test fails or none ran.
"""

import os
import pathlib
import re
import sys
import tempfile
from dataclasses import dataclass

import backends
import jobs
import launch
from reports import cases_of, read_googletest, read_unittest

# End-to-end tests that run once more on GPUs that are fakes, by process and by thread.
ON_EVERY_BACKEND = ("collectives_test", "groups_test", "sampling_test", "matrix_test", "verdict_test", "soak_test",
                    "nccl_tests_cases_test", "ends_perf_test", "operation_log_test", "interference_test", "replay_test",
                    "balance_test")

# Of these, what runs on real GPUs (TEST_GPUS), which leave no log of operations, and beside no validator of JSON.
ON_REAL_GPUS = ("collectives_test", "groups_test", "sampling_test", "matrix_test", "verdict_test",
                "nccl_tests_cases_test", "ends_perf_test")

# Of the same, what sanitizers look at on GPUs, by thread: the rest would only show them the same code again.
SANITIZED_ON_FAKES = ("collectives_test", "ends_perf_test", "replay_test")
# Not for sanitizers: programs and pages that other tests have shown them.
NOT_SANITIZED = ("readme_test", "nccl_golden_test", "install_test", "gpu_check_test")

UNIT_TIMEOUT_S = 300
MPI_TIMEOUT_S = 300
PYTHON_TIMEOUT_S = 600


class Tally:
    """Counts of cases over all suites."""

    def __init__(self, required):
        self.required = [name.strip() for name in required.split(",") if name.strip()]
        self.passed = 0
        self.skipped = 0
        self.failures = []

    @property
    def failed(self):
        return len(self.failures)

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
            self.failures.append(case)
            print(f"  FAILED {case}" + (f"\n{indent(detail)}" if detail else ""))

    def _is_required(self, reason):
        """Whether the reason reads "requires NAME" with a name that must not be missing."""
        words = reason.split()
        return len(words) > 1 and words[0] == "requires" and words[1].strip(",.:;") in self.required

    def summary(self):
        """The failed cases, one line each, and the totals: what is left of a log is its end."""
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        totals = f"{self.passed} passed, {self.failed} failed{skipped}"
        return "\n".join([*(f"failed: {case}" for case in self.failures), totals])


def indent(text):
    return "\n".join(f"    {line}" for line in text.strip().splitlines())


@dataclass
class Suite:
    """Jobs whose cases are counted together. Job n writes the report `folder/NAME-n.xml`, which `read` reads.

    `alone`: no other suite runs at the same time.
    """

    name: str
    jobs: list
    read: object
    alone: bool = True


def report_path(folder, name, number=0):
    return folder / f"{name}-{number}.xml"


def googletest(folder, name, program, env=None, shards=1):
    """A suite that is a binary of GoogleTest, in shards beside one another."""
    def shard(number):
        report = f"--gtest_output=xml:{report_path(folder, name, number)}"
        which = {"GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(number)} if shards > 1 else {}
        return jobs.Job([launch.program_path(program), report], UNIT_TIMEOUT_S, which | (env or {}))

    return Suite(name, [shard(number) for number in range(shards)], read_googletest, alone=shards == 1)


def mpi(folder, ranks):
    """Only rank 0 writes a report, so that ranks do not overwrite each other's."""
    name, program = f"mpi-{ranks}", launch.program_path("mpi_tests")
    command = launch.mpirun(1, program, f"--gtest_output=xml:{report_path(folder, name)}")
    if ranks > 1:
        command += [":", "-n", str(ranks - 1), program]
    return Suite(name, [jobs.Job(command, MPI_TIMEOUT_S)], read_googletest)


def python(folder, path, backend="mpi"):
    """A suite that is a file of tests, which says so in a line where it starts no ranks."""
    name = path.stem if backend == "mpi" else f"{backend}-{path.stem}"
    command = [sys.executable, launch.ROOT / "tests" / "run_file.py", path, report_path(folder, name)]
    alone = not re.search(r"^STARTS_NO_RANKS = True$", path.read_text(), re.MULTILINE)
    env = {"TEST_BACKEND": backend, "TEST_BESIDE_OTHERS": "" if alone else "1"}
    return Suite(name, [jobs.Job(command, PYTHON_TIMEOUT_S, env, launch.ROOT / "tests")], read_unittest, alone)


def suites_on_real_gpus(folder):
    yield googletest(folder, "nccl", "nccl_tests")
    for backend in backends.ON_FAKES:
        for name in ON_REAL_GPUS:
            yield python(folder, launch.ROOT / "tests" / f"{name}.py", backend)


def suites(folder):
    """Yields everything there is to run; the reports go to the folder."""
    if backends.real_gpus():
        yield from suites_on_real_gpus(folder)
        return
    if (launch.BUILD / "unit_tests").exists():
        yield googletest(folder, "unit", "unit_tests", shards=jobs.at_once())
    if (launch.BUILD / "mpi_tests").exists():
        for ranks in launch.rank_counts():
            yield mpi(folder, ranks)
    for path in sorted((launch.BUILD / "fakes").glob("*_tests")):
        yield googletest(folder, path.stem, path)
    if (launch.BUILD / "nccl_tests").exists():
        yield googletest(folder, "nccl", "nccl_tests", launch.on_fakes())
    for path in sorted((launch.ROOT / "tests").glob("*_test.py")):
        if not (launch.sanitized() and path.stem in NOT_SANITIZED):
            yield python(folder, path)
    if not backends.has_nccl(launch.BUILD):
        return  # nccl_plugin_test says so
    for backend in backends.ON_FAKES[-1:] if launch.sanitized() else backends.ON_FAKES:
        for name in SANITIZED_ON_FAKES if launch.sanitized() else ON_EVERY_BACKEND:
            yield python(folder, launch.ROOT / "tests" / f"{name}.py", backend)


def run_beside(tally, folder, together):
    """Runs suites at the same time, and reports them in their order."""
    results = jobs.run([job for suite in together for job in suite.jobs], jobs.at_once())
    for suite in together:
        print(f"{suite.name} ...", flush=True)
        ran_before, seconds, cases = tally.passed + tally.failed, [], []
        for number in range(len(suite.jobs)):
            result, took_s = next(results)
            cases += cases_of(suite.name, suite.read, report_path(folder, suite.name, number), result)
            seconds.append(took_s)
        for case in cases or [(suite.name, "failed", "ran no test")]:
            tally.add(*case)
        print(f"{suite.name}: {tally.passed + tally.failed - ran_before} run, {max(seconds):.1f} s", flush=True)


def main(selected):
    tally = Tally(os.environ.get("COLLBENCH_REQUIRE", ""))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wanted = [suite for suite in suites(folder) if not selected or any(part in suite.name for part in selected)]
        run_beside(tally, folder, [suite for suite in wanted if not suite.alone])
        for suite in wanted:
            if suite.alone:
                run_beside(tally, folder, [suite])
    if tally.passed + tally.failed == 0:
        print("no test ran: nothing is built, or no suite has such a name")
    print(tally.summary())
    return 0 if tally.passed and not tally.failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
