# SPDX-License-Identifier: Apache-2.0
# Completion of command lines, in the shells themselves.
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from launch import BUILD, ROOT, run_program

STARTS_NO_RANKS = True

# Completes the last of the words, as bash does when Tab is pressed there.
DRIVER = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
function=$(complete -p "$1" | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def is_pattern(program):
    return (ROOT / "parallel_patterns" / f"{program.removesuffix('_perf')}.cpp").exists()


class Completion(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def script(self, shell):
        result = run_program("collbench", "completion", shell)
        self.assertEqual(result.returncode, 0, result.stderr)
        path = self.folder / f"completion.{shell}"
        path.write_text(result.stdout)
        return path

    def complete(self, *words):
        ended = subprocess.run(["bash", "-c", DRIVER, "bash", self.script("bash"), *words],
                               capture_output=True, text=True, cwd=self.folder, check=True, timeout=30)
        self.assertEqual(ended.stderr, "")
        return ended.stdout.split()

    def test_flags_of_every_benchmark(self):
        self.assertEqual(self.complete("all_reduce_perf", "--max"), ["--maxbytes"])
        self.assertEqual(self.complete("alltoallv_perf", "-b", "8", "--output_f"), ["--output_file"])
        self.assertIn("--help", self.complete("hypercube_perf", "--"))

    def test_every_flag_of_help_and_no_hidden_one(self):
        text = run_program("all_reduce_perf", "--help").stdout
        shown = {word for line in text.splitlines() if line.startswith("  -")
                 for word in line.split()[0].split(",")}
        self.assertEqual(set(self.complete("all_reduce_perf", "-")), shown)
        self.assertNotIn("--device_implementation", shown)

    def test_every_program_has_flags_of_its_own(self):
        programs = sorted(program.name for program in BUILD.glob("*_perf"))
        self.assertIn("memcpy_perf", programs)
        for program in programs:
            with self.subTest(program):
                shown = {word for line in run_program(program, "--help").stdout.splitlines() if line.startswith("  -")
                         for word in line.split()[0].split(",")}
                completed = set(self.complete(program, "-"))
                self.assertLessEqual(shown, completed)
                if not is_pattern(program):  # these share the flags of all of them
                    self.assertLessEqual(completed, shown)

    def test_values(self):
        self.assertEqual(self.complete("all_reduce_perf", "-d", "bf"), ["bfloat16"])
        self.assertEqual(self.complete("all_reduce_perf", "--op", "m"), ["max", "min", "mulsum"])
        self.assertEqual(self.complete("all_reduce_perf", "--wait", "y"), ["yield"])
        self.assertEqual(self.complete("all_reduce_perf", "-n", ""), [])

    def test_files(self):
        (self.folder / "flags.toml").touch()
        self.assertEqual(self.complete("all_reduce_perf", "--config", "fl"), ["flags.toml"])
        self.assertEqual(self.complete("collbench", "show", "fl"), ["flags.toml"])

    def test_subcommands(self):
        self.assertEqual(self.complete("collbench", "val"), ["validate"])

    def test_zsh_reads_its_script(self):
        if not shutil.which("zsh"):
            self.skipTest("requires zsh")
        subprocess.run(["zsh", "-n", self.script("zsh")], check=True, timeout=30)
        self.assertTrue(self.script("zsh").read_text().startswith("#compdef all_reduce_perf "))

    def test_an_unknown_shell_is_refused(self):
        result = run_program("collbench", "completion", "fish")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, "collbench: completion: 'fish' is no shell; choose from bash, zsh\n")


if __name__ == "__main__":
    unittest.main()
