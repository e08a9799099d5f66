# SPDX-License-Identifier: Apache-2.0
# scripts/gpu_check.sh without a GPU: what it says is missing, all of its parts on the fakes, and parts that fail.

import json
import os
import pathlib
import shutil
import tempfile
import unittest
from unittest import mock

import gpu_check
import gpu_parts
import launch
from nccl_runs import needs_fakes

SCRIPT = launch.ROOT / "scripts/gpu_check.sh"
PARTS = [part.name for part in gpu_check.PARTS]


class Script(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="gpu-check-")))

    def check(self, *arguments, env=None, before=()):
        """Its Result, and the file where it has left one."""
        out = self.folder / "out"
        with launch.start(*before, SCRIPT, "-o", out, *arguments,
                          env={"COLLBENCH_BUILD": os.path.relpath(launch.BUILD, launch.ROOT), **(env or {})}) as child:
            result = child.wait(120)
        path = out / "gpu_check.json"
        return result, json.loads(path.read_text()) if path.exists() else None


class CannotBegin(Script):
    def assert_cannot_begin(self, result, *words):
        self.assertEqual(result.returncode, 2, result.output)
        for word in words:
            self.assertIn(word, result.output)

    def test_what_is_missing_is_said_at_once(self):
        result, document = self.check(env={"CXX": "no-such-compiler", "MPICXX": "no-such-mpicxx"})
        self.assert_cannot_begin(result, "no-such-compiler is missing (compiles C++20): package g++",
                                 "no-such-mpicxx is missing", "DEPS names a folder")
        self.assertIsNone(document)

    def test_a_toolkit_that_is_not_there(self):
        self.assert_cannot_begin(self.check(env={"CUDA_HOME": "/nowhere"})[0], "there is no /nowhere/bin/nvcc")

    @needs_fakes
    def test_flags_that_mean_nothing(self):
        for flags, why in ((("-b", 10), "-b 10: give at least 1024"), (("-t", "nan"), "-t nan: give a number above 0"),
                           (("no_part",), "there is no part no_part")):
            self.assert_cannot_begin(self.check(*flags)[0], why)

    def test_packages_that_are_not_there(self):
        for deps, why in (("/nowhere", "DEPS=/nowhere is no folder"), (str(self.folder), "has no .deb file")):
            self.assert_cannot_begin(self.check(env={"DEPS": deps})[0], why)

    def test_a_package_that_is_none(self):
        (self.folder / "a.deb").write_text("no package")
        result, _ = self.check(env={"DEPS": str(self.folder), "COLLBENCH_BUILD": str(self.folder / "build")})
        self.assert_cannot_begin(result, "a.deb cannot be unpacked")

    @needs_fakes
    def test_no_device_is_an_outcome_without_a_network(self):
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("there is a driver")
        unshare = shutil.which("unshare")
        if unshare is None or launch.run_program(unshare, "-n", "true").returncode != 0:
            self.skipTest("requires unshare, to take the network away")
        result, document = self.check(before=(unshare, "-n"))
        self.assertEqual(result.returncode, 2, result.output)
        self.assertRegex(result.stderr, r"^gpu_check: no device: .+\n$")
        self.assertEqual((document["status"], document["exit_status"], document["parts"]), ("cannot_begin", 2, []))
        self.assertRegex(document["message"], "^no device: ")


@needs_fakes
class OnFakes(Script):
    def setUp(self):
        super().setUp()
        make = self.folder / "make"  # all is built
        make.write_text(f'#!/bin/sh\necho "$@" >> {self.folder}/made\n')
        make.chmod(0o755)
        self.env = launch.on_fakes({"FAKE_CUDA_DEVICES": "1", "MAKE": str(make), "GTEST_FILTER": "*Broadcast/*"})

    def test_every_part(self):
        result, document = self.check("-b", 4096, "-r", 0, "-s", "nccl-verdict", env=self.env)
        self.assertEqual(result.returncode, 0, result.output)
        self.assertEqual((document["schema"], document["status"], document["exit_status"]),
                         ("collbench.gpu_check", "complete", 0))
        self.assertEqual(document["machine"]["compute_capabilities"], ["9.0"])
        parts = {part["name"]: part for part in document["parts"]}
        self.assertEqual(list(parts), PARTS)
        self.assertEqual({part["status"] for part in parts.values()}, {"passed"})
        self.assertIn("CUDA_ARCH=90 all ", (self.folder / "made").read_text())
        for name in ("collectives", "two_ranks", "patterns"):
            for run in parts[name]["runs"]:
                self.assertEqual((run["exit_status"], run["wrong_elements"]), (0, 0), run)
        patterns = parts["patterns"]["runs"]
        self.assertEqual([run["name"] for run in patterns], gpu_parts.patterns_on(2))
        self.assertTrue(all(run["step_us"] > 0 for run in patterns), patterns)
        check = parts["check_speed"]
        self.assertEqual((check["buffer_bytes"], check["finds_a_wrong_element"]), (4096, True))
        self.assertEqual(parts["suite"]["cases_failed"], 0)
        for name in PARTS:
            self.assertTrue((self.folder / "out" / f"{name}.log").exists(), name)


class Answers:
    """A Runner whose commands end as it is told."""

    def __init__(self, status, stdout="", stderr=""):
        self.result = launch.Result(status, stdout, stderr)

    def run(self, *command, **_):
        return self.result


class Parts(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="gpu-parts-")))
        self.machine = gpu_parts.Machine(self.folder, 1, "9.0", 1 << 30, 0.9, [])
        self.enterContext(mock.patch.dict(os.environ, {"CUDA_HOME": "/nowhere"}))
        self.enterContext(mock.patch.object(gpu_parts, "built", pathlib.Path))

    def failure(self, part, answers):
        with self.assertRaises(gpu_parts.Failed) as caught:
            part(self.machine, answers)
        return caught.exception

    def test_the_speeds_count_what_passes_through_memory(self):
        found = {"buffer_bytes": 10**9, "check_us": 250, "copy_us": 500}
        line, facts = gpu_parts.check_speed(self.machine, Answers(0, json.dumps(found)))
        self.assertEqual((facts["check_GBps"], facts["copy_GBps"], facts["check_to_copy"]), (4000, 4000, 1))
        self.assertEqual(line, "the check reads 4000.0 GB/s, a copy moves 4000.0 GB/s: 1.000, goal 0.9")

    def test_a_slow_check_fails_with_its_numbers(self):
        found = {"buffer_bytes": 10**9, "check_us": 500, "copy_us": 500}
        failure = self.failure(gpu_parts.check_speed, Answers(0, json.dumps(found)))
        self.assertEqual((failure.status, failure.facts["check_to_copy"]), ("failed", 0.5))
        self.assertEqual(self.failure(gpu_parts.check_speed, Answers(1, "", "no\n")).args, ("status 1: no",))

    def test_a_build_that_fails_says_its_first_error(self):
        text = "  CXX   a.o\na.cpp:3:1: error: no x\nb.cpp:4:1: error: no y\nmake: *** [a.o] Error 1\n"
        self.assertEqual(str(self.failure(gpu_parts.build, Answers(2, text))), "a.cpp:3:1: error: no x")

    def test_what_is_wrong_with_a_run(self):
        good = {"run": {"status": "complete"}, "summary": {"wrong_elements": 0}, "rows": [{"status": "ok"}]}
        ended = launch.Result(0, "", "")
        for result, changes, problem in (
                (ended, {}, None),
                (launch.Result(3, "", "note\np: no GPU\n"), {}, "status 3: p: no GPU"),
                (launch.Result(-9, "", "", timed_out=True), {}, "not done after"),
                (ended, {"run": {"status": "timeout"}}, "status 0: and said nothing"),
                (ended, {"summary": {"wrong_elements": 3}}, "wrong data"),
                (ended, {"rows": [{"status": "skipped"}]}, "nothing was measured")):
            with self.subTest(problem):
                found = gpu_parts.problem_of(result, good | changes)
                self.assertTrue(found == problem or found.startswith(problem), found)
        self.assertIsNotNone(gpu_parts.problem_of(ended, None))

    def test_one_bad_run_of_several_is_named(self):
        runs = [{"name": "a"}, {"name": "b", "problem": "wrong data"}]
        with self.assertRaisesRegex(gpu_parts.TrialFailed, "^1 of 2 runs right; b: wrong data$") as caught:
            gpu_parts.verdict(runs, gpu_parts.TrialFailed)
        self.assertEqual(caught.exception.facts, {"runs": runs})

    def test_one_gpu_has_patterns_only_where_two_ranks_may_share_it(self):
        self.machine.ended["two_ranks"] = "trial_failed"
        self.assertEqual(self.failure(gpu_parts.patterns, Answers(0)).status, "skipped")

    def test_a_hypercube_has_a_power_of_two(self):
        self.assertEqual([gpu_parts.ranks_of("hypercube", gpus) for gpus in (1, 2, 6, 8)], [1, 2, 4, 8])
        self.assertEqual(gpu_parts.ranks_of("all_reduce", 6), 6)

    def test_the_cases_that_fail_are_named(self):
        text = "failed: nccl X.Y\n3 passed, 1 failed, 2 skipped\n"
        failure = self.failure(gpu_parts.suite, Answers(1, text))
        self.assertEqual(str(failure), "3 passed, 1 failed, 2 skipped; nccl X.Y")
        self.assertEqual((failure.facts["cases_skipped"], failure.facts["failed_cases"]), (2, ["nccl X.Y"]))


class Ends(unittest.TestCase):
    """What becomes of all where a part ends in its own way."""

    def statuses(self, *parts, limit_s=30):
        """(exit status, statuses of the parts, the file)."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="gpu-ends-")))
        options = mock.Mock(parts=[], folder=folder, limit_s=limit_s)
        report = gpu_check.Report(options)
        machine = gpu_parts.Machine(folder, 1, "9.0", 1 << 30, 0.9, [])
        with mock.patch.object(gpu_check, "PARTS", [gpu_check.Part(part, 10) for part in parts]), \
                mock.patch("builtins.print"):
            status = gpu_check.run_parts(options, machine, report)
        document = json.loads((folder / "gpu_check.json").read_text())
        return status, [part["status"] for part in document["parts"]], document

    def test_a_part_that_fails_does_not_end_the_others(self):
        def fails(machine, runner):
            raise gpu_parts.Failed("no", {"x_us": 1})

        def breaks(machine, runner):
            raise ValueError("odd")

        def is_well(machine, runner):
            return "yes", {}

        status, ended, document = self.statuses(fails, breaks, is_well)
        self.assertEqual((status, ended), (1, ["failed", "failed", "passed"]))
        self.assertEqual((document["parts"][0]["line"], document["parts"][0]["x_us"]), ("no", 1))
        self.assertEqual(document["parts"][1]["line"], "ValueError: odd")

    def test_what_is_tried_or_skipped_does_not_count(self):
        def is_tried(machine, runner):
            raise gpu_parts.TrialFailed("no")

        def is_skipped(machine, runner):
            raise gpu_parts.Skipped("requires more")

        self.assertEqual(self.statuses(is_tried, is_skipped)[:2], (0, ["trial_failed", "skipped"]))

    def test_a_part_that_is_out_of_time_is_ended(self):
        def hangs(machine, runner):
            return runner.run("sleep", 1000).output, {}

        status, ended, document = self.statuses(hangs, hangs, limit_s=0.3)
        self.assertEqual((status, ended), (1, ["out_of_time", "out_of_time"]))
        self.assertRegex(document["parts"][0]["line"], "not done after .* s, in: sleep 1000$")


if __name__ == "__main__":
    unittest.main()
