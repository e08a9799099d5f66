# SPDX-License-Identifier: Apache-2.0
# scripts/ci/: the ready files for build servers. Their comparison is run as it stands there, on this build against itself.

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

import launch

try:
    import yaml
except ImportError:
    yaml = None

FOLDER = launch.ROOT / "scripts/ci"
QUICK = {"RUNS": "1", "LAUNCH": " ".join(launch.mpirun(2)), "SWEEP": "-b 8 -e 8 --samples 5", "BENCHMARK": "all_reduce_perf"}


@unittest.skipUnless(yaml, "requires yaml: python3-yaml")
class CiFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    @staticmethod
    def load(name):
        return yaml.safe_load((FOLDER / name).read_text())

    def run_script(self, script, places, variables):
        """The script as a server runs it, where each of these places has the programs of this build."""
        for place in places:
            (self.folder / place).mkdir(parents=True, exist_ok=True)
            (self.folder / place / "build").symlink_to(launch.BUILD)
        return subprocess.run(["bash", "-e", "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              check=False, env=launch.environment({**QUICK, **variables}))

    def check_outputs(self, ended):
        # One launch against one is inconclusive at best, and that fails nothing here.
        self.assertTrue((self.folder / "comparison.md").read_text().startswith("<!-- "), ended.stderr)
        self.assertEqual(xml.parse(self.folder / "comparison.xml").getroot().tag, "testsuites")
        self.assertEqual(sorted(path.name for path in (self.folder / "launches").glob("*.json")), ["a1.json", "b1.json"])

    def test_scripts_of_both_are_shell(self):
        github = self.load("github-actions.yml")
        gitlab = self.load("gitlab-ci.yml")["collective performance"]
        scripts = [step["run"] for step in github["jobs"]["compare"]["steps"] if "run" in step]
        scripts += gitlab["before_script"] + gitlab["script"] + gitlab["after_script"]
        self.assertGreater(len(scripts), 6)
        for script in scripts:
            with self.subTest(script):
                self.assertEqual(subprocess.run(["bash", "-n", "-c", script], capture_output=True, check=False).stderr, b"")

    def test_github(self):
        job = self.load("github-actions.yml")["jobs"]["compare"]
        self.assertEqual(set(job["env"]), set(QUICK))
        (compare,) = [step for step in job["steps"] if step.get("id") == "compare"]
        output, summary = self.folder / "output", self.folder / "summary"
        ended = self.run_script(compare["run"], ["base", "new"],
                                {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)})
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(output.read_text(), r"^status=[06]\n$")
        self.assertEqual(summary.read_text(), (self.folder / "comparison.md").read_text())
        self.check_outputs(ended)

    def test_gitlab(self):
        job = self.load("gitlab-ci.yml")["collective performance"]
        self.assertEqual(set(job["variables"]) - {"GIT_DEPTH"}, set(QUICK))
        ended = self.run_script(job["script"][0], ["base", "."], {})
        self.assertIn(ended.returncode, (0, 6), ended.stderr)
        self.check_outputs(ended)
        self.assertEqual(job["artifacts"]["reports"]["junit"], "comparison.xml")

    @unittest.skipUnless(shutil.which("curl"), "requires curl")
    def test_gitlab_says_nothing_without_a_token(self):
        job = self.load("gitlab-ci.yml")["collective performance"]
        (self.folder / "comparison.md").write_text("x")
        self.assertNotIn("COLLBENCH_TOKEN", os.environ)
        ended = self.run_script(job["after_script"][0], [], {})
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
