# SPDX-License-Identifier: Apache-2.0
# `collbench scaling`: what files of different numbers of ranks say together.

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

import documented
import launch

STARTS_NO_RANKS = True

STEPS = launch.ROOT / "tests/golden/results-1.1-steps.json"


class Scaling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def results(self, dp, step_us, **changes):
        """A file with the golden file's step on dp ranks, where each rank keeps 16384 tokens."""
        document = json.loads(STEPS.read_text())
        step = document["steps"][0] | {"ranks": dp, "nodes": 1, "tokens": 16384 * dp} | changes
        step["layout"] |= {"tp": 1, "dp": dp}
        step["scheme"] = {"zero": "fsdp2"}
        step["per_rank"]["median_us"] = [step_us] * dp
        step["times"] = {"step": {"time_us": {"median": step_us, "n": 1}, "samples_us": [step_us]}}
        document["steps"] = [step]
        document["run"]["id"] = f"{dp:032x}"
        path = self.folder / f"{dp}.json"
        path.write_text(json.dumps(document))
        return path

    def scaling(self, *arguments, status=0):
        result = launch.run_program("collbench", "scaling", *arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def test_a_folder_as_text_and_as_json(self):
        for dp, step_us in ((1, 10000), (2, 12500), (4, 20000)):
            self.results(dp, step_us)
        text = self.scaling(self.folder).stdout
        self.assertIn("# zero of llama3-8b: weak scaling over dp, base 1 rank\n", text)
        self.assertRegex(text, r"\n +4 +1 +1 +20\.0000 +3276800 +2\.000 +0\.500 +0\.625 +N/A")
        study = json.loads(self.scaling(self.folder, "--json", "--base", "2").stdout)
        self.assertEqual((study["schema"], study["schema_version"]), ("collbench.scaling", "1.0"))
        points = study["steps"][0]["points"]
        self.assertEqual([(p["ranks"], p["efficiency"], p["superlinear"]) for p in points],
                         [(1, 1.25, True), (2, 1, False), (4, 0.625, False)])

    def test_the_page_of_it_is_true(self):
        (self.folder / "results").mkdir()
        for dp, step_us in ((1, 10000), (2, 12500), (4, 20000)):
            self.results(dp, step_us).rename(self.folder / "results" / f"{dp}.json")
        documented.check_page(self, "scaling.md", self.folder)

    def test_output_goes_to_a_file(self):
        self.results(1, 10000)
        self.results(2, 10000)
        output = self.folder / "out" / "study.json"
        self.assertEqual(self.scaling(self.folder, "-o", output, status=2).stdout, "")
        output.parent.mkdir()
        self.assertEqual(self.scaling(self.folder, "--json", "-o", output).stdout, "")
        self.assertEqual(len(json.loads(output.read_text())["steps"]), 1)

    def test_a_base_that_was_not_measured_is_refused(self):
        self.results(1, 10000)
        self.results(2, 10000)
        result = self.scaling(self.folder, "--base", "3", status=2)
        self.assertEqual(result.stderr, "collbench: --base 3: nothing was measured on 3 ranks, but on 1, 2\n")

    def test_what_is_written_fits_the_schema(self):
        for dp in (1, 2, 4):
            self.results(dp, 10000 * dp)
        schema = json.loads(launch.run_program("collbench", "schema", "--of", "scaling").stdout)
        study = json.loads(self.scaling(self.folder, "--json").stdout)
        jsonschema.Draft202012Validator(schema).validate(study)
        self.assertTrue(study["steps"])

    def test_nothing_to_compare_is_no_success(self):
        whole = self.results(1, 10000)
        part = self.results(2, 10000, shrink=16)
        result = self.scaling(whole, part, status=6)
        self.assertIn("zero of llama3-8b on 2 ranks: nothing to compare with", result.stdout)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn("no curve: ", result.stderr)


class Script(unittest.TestCase):
    """scripts/scaling.sh, with a launcher that writes what a benchmark would."""
    LAUNCHER = """#!/bin/sh
# $1 is the number of ranks; the file follows -J
[ "$1" = 3 ] && { echo no; exit 7; }
while [ "$1" != -J ]; do n=${n:-$1}; shift; done
cp "$FILES/$n.json" "$2"
"""

    def setUp(self):
        Scaling.setUp(self)
        self.launcher = self.folder / "launch"
        self.launcher.write_text(self.LAUNCHER)
        self.launcher.chmod(0o755)

    def script(self, *arguments):
        return subprocess.run(
            [launch.ROOT / "scripts/scaling.sh", "-l", f"{self.launcher} {{n}}", "-o", self.folder / "out", *arguments],
            capture_output=True, text=True, timeout=60, check=False,
            env=os.environ | {"COLLBENCH": str(launch.program_path("collbench")), "FILES": str(self.folder)})

    def test_measures_what_is_not_there_yet(self):
        for dp, step_us in ((1, 10000), (2, 12500), (4, 20000)):
            Scaling.results(self, dp, step_us)
        first = self.script("-n", "1,2", "--", "zero_perf", "--model", "tiny")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stderr.count("measuring"), 2)
        second = self.script("-n", "1,2,4", "--", "zero_perf", "--model", "tiny")
        self.assertEqual((second.stderr.count("kept"), second.stderr.count("measuring")), (2, 1))
        self.assertIn("weak scaling over dp, base 1 rank", second.stdout)
        # What another command, or a run that was cut short, has left is not taken for it.
        other = self.script("-n", "1", "--", "zero_perf", "--model", "other")
        self.assertEqual(other.stderr.count("measuring"), 1, other.stderr)
        for path in (self.folder / "out").glob("zero.*.2.1.json"):
            path.write_text(path.read_text().replace('"complete"', '"timeout"'))
        again = self.script("-n", "1,2", "--", "zero_perf", "--model", "tiny")
        self.assertEqual((again.stderr.count("kept"), again.stderr.count("measuring")), (1, 1), again.stderr)

    def test_a_launch_that_fails_ends_it(self):
        result = self.script("-n", "3", "--", "zero_perf")
        self.assertEqual(result.returncode, 7)
        self.assertRegex(result.stderr, r"zero\.\d+\.3\.1\.json: ended with status 7; what it printed is in ")
        printed, = (self.folder / "out").glob("zero.*.3.1.txt")
        self.assertEqual(printed.read_text(), "no\n")

    def test_mistakes(self):
        for arguments in ([], ["-n", "1"], ["-n", "0", "--", "x"], ["-n", "1", "-k", "0", "--", "x"],
                          ["-n", "1", "--", "x", "--"], ["-x"]):
            with self.subTest(arguments):
                result = self.script(*arguments)
                self.assertEqual(result.returncode, 2)
                self.assertIn("Usage: scripts/scaling.sh", result.stderr)


if __name__ == "__main__":
    unittest.main()
