# SPDX-License-Identifier: Apache-2.0
# scripts/setup.sh on machines that lack something: what it says, what it installs, and when it gives up.

import pathlib
import shutil
import tempfile
import unittest

import launch

STARTS_NO_RANKS = True

TOOLS = "bash cat cut env grep id make ar git g++ mpicxx mpirun sed sort tail tr".split()


class Setup(unittest.TestCase):
    def setUp(self):
        """A machine with all there is to need, as a folder that is the whole PATH."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = pathlib.Path(folder.name)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))

    def fake(self, name, script):
        file = self.bin / name
        file.unlink(missing_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def remove(self, name):
        (self.bin / name).unlink()

    def setup_sh(self, *args, **env):
        clean = {"PATH": str(self.bin), "CXX": "g++", "MPICXX": "mpicxx", "MPIRUN": "mpirun"}
        return launch.run_program(launch.ROOT / "scripts/setup.sh", *args, env=clean | env)

    def test_says_nothing_when_all_is_there(self):
        result = self.setup_sh()
        self.assertEqual((result.returncode, result.output), (0, ""))

    def test_a_compiler_with_arguments_is_one(self):
        self.assertEqual(self.setup_sh(CXX="env g++").returncode, 0)

    def test_the_python_of_the_tests_is_the_one_looked_for(self):
        self.fake("python-of-mine", f'echo "$@" >> {self.bin}/log')
        self.assertEqual(self.setup_sh(PYTHON="python-of-mine").returncode, 0)
        self.assertIn("jsonschema", (self.bin / "log").read_text())
        self.fake("id", "echo 0")
        result = self.setup_sh(PYTHON="no-such-python")
        self.assertIn("no-such-python is missing (runs the end-to-end tests): package python3",
                      result.stdout)

    def test_installs_what_is_missing_and_says_why(self):
        self.remove("mpirun")
        log = self.bin / "log"
        self.fake("id", "echo 0")
        self.fake("apt-get", f'echo "$@" >> {log}\ncase $* in *install*) '
                             f"printf '#!/bin/sh\\n' > {self.bin}/mpirun; chmod +x {self.bin}/mpirun;; esac")
        self.bin.joinpath("chmod").symlink_to(shutil.which("chmod"))
        result = self.setup_sh()
        self.assertEqual(result.returncode, 0, result.output)
        self.assertIn("mpirun is missing (starts the ranks): package mpich", result.stdout)
        calls = log.read_text().splitlines()
        self.assertEqual(len(calls), 2)
        self.assertTrue(calls[0].endswith(" update"), calls)
        self.assertTrue(calls[1].endswith(" install -y --no-install-recommends mpich"), calls)

    def test_names_a_missing_header(self):
        self.fake("g++", "exit 0")  # finds no header at all
        self.fake("id", "echo 0")
        result = self.setup_sh()
        self.assertEqual(result.returncode, 2)
        self.assertIn("nlohmann/json.hpp is missing", result.stdout)
        self.assertIn("package nlohmann-json3-dev", result.stdout)
        self.assertIn("no apt-get", result.stderr)

    def test_names_a_missing_library_though_another_has_its_header(self):
        self.fake("id", "echo 0")
        self.fake("python-of-mine", "case $2 in *openblas*) exit 1;; esac")
        result = self.setup_sh(PYTHON="python-of-mine")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, "setup: libopenblas.so.0 is missing (multiplies matrices on hosts): "
                                        "package libopenblas0\n")

    def test_gives_the_command_when_it_may_not_install(self):
        self.remove("mpirun")
        self.fake("apt-get", "exit 99")
        self.fake("id", "echo 1000")
        self.fake("sudo", "exit 1")
        result = self.setup_sh()
        self.assertEqual(result.returncode, 2)
        self.assertIn("sudo apt-get install -y --no-install-recommends mpich", result.stderr)

    def test_a_failing_apt_is_one_clear_line(self):
        self.remove("mpirun")
        self.fake("id", "echo 0")
        self.fake("apt-get", "echo Reading...; echo 'E: no network here' >&2; exit 100")
        result = self.setup_sh()
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, "setup: apt-get update failed: E: no network here\n")

    def test_an_installation_that_changes_nothing_is_a_failure(self):
        self.remove("mpirun")
        self.fake("id", "echo 0")
        self.fake("apt-get", "exit 0")
        result = self.setup_sh()
        self.assertEqual(result.returncode, 2)
        self.assertIn("still missing after the installation: mpirun", result.stderr)

    def test_names_a_missing_file(self):
        self.fake("id", "echo 0")
        result = self.setup_sh(CHART_JS=f"{self.bin}/chart.min.js")
        self.assertEqual(result.returncode, 2)
        self.assertIn("chart.min.js is missing (draws the charts of reports): package libjs-chart.js", result.stdout)
        self.bin.joinpath("chart.min.js").touch()
        self.assertEqual(self.setup_sh(CHART_JS=f"{self.bin}/chart.min.js").output, "")

    def test_ci_needs_a_browser(self):
        self.fake("id", "echo 0")
        result = self.setup_sh("--ci")
        self.assertEqual(result.returncode, 2)
        self.assertIn("package chromium-headless-shell", result.stdout)

    def test_a_check_on_gpus_needs_less_and_installs_nothing(self):
        self.remove("git")
        self.fake("apt-get", "exit 99")
        self.assertEqual(self.setup_sh("--gpu").output, "")
        self.remove("mpirun")
        result = self.setup_sh("--gpu")
        self.assertEqual((result.returncode, result.output),
                         (2, "setup: mpirun is missing (starts the ranks): package mpich\n"))

    def test_lint_needs_more(self):
        self.fake("id", "echo 0")
        result = self.setup_sh("--lint")
        self.assertEqual(result.returncode, 2)
        self.assertIn("package shellcheck", result.stdout)
        self.assertNotIn("mpirun", result.output)


if __name__ == "__main__":
    unittest.main()
