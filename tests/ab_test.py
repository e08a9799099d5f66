# SPDX-License-Identifier: Apache-2.0
# `collbench ab`: two commands in turns. The commands are scripts that write result files, but for one real benchmark.

import json
import os
import pathlib
import re
import shutil
import signal
import tempfile
import time
import unittest

import launch

GOLDEN = launch.ROOT / "tests/golden/results-1.1.json"

# Writes the golden file with its times multiplied, after saying so and noting who it is; the run's id is new each time.
BENCHMARK = """#!/usr/bin/python3
import json, os, sys
golden, name, factor, log = sys.argv[1:5]
assert sys.argv[-2] == "-J"
print("measuring")
with open(log, "a") as file:
    file.write(name + "\\n")
document = json.load(open(golden))
document["run"] |= {"id": os.urandom(16).hex(), "status": "complete", "exit_status": 0}
rows = [row for row in document["rows"] if row["status"] == "ok" and row["ranks"] > 1]
noise = 1 + 0.002 * (os.getpid() % 3)
for row in rows:
    row["samples_us"] = [t * float(factor) * noise for t in row["samples_us"]]
    row["time_us"] = {"n": len(row["samples_us"]), "median": row["time_us"]["median"] * float(factor) * noise}
document["rows"] = rows
json.dump(document, open(sys.argv[-1], "w"))
"""


class Ab(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "log"
        self.benchmark = self.program("benchmark", BENCHMARK)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def command(self, name, factor=1):
        return [self.benchmark, GOLDEN, name, str(factor), self.log]

    def ab(self, *arguments, status=0):
        result = launch.run_program("collbench", "ab", *arguments)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def test_launches_take_turns_and_are_compared(self):
        kept = self.folder / "kept"
        result = self.ab("--runs", 3, "--keep", kept, "--", *self.command("A"), "--", *self.command("B"))
        self.assertEqual(self.log.read_text().split(), ["A", "B", "B", "A", "A", "B"])
        self.assertEqual(sorted(path.name for path in kept.glob("*.json")),
                         ["a1.json", "a2.json", "a3.json", "b1.json", "b2.json", "b3.json"])
        self.assertEqual((kept / "a1.txt").read_text(), "measuring\n")
        lines = result.stderr.splitlines()
        self.assertEqual([line.split(": ")[0] for line in lines[:3]],
                         ["launch 1 of 6, A1", "launch 2 of 6, B1", "launch 3 of 6, B2"])
        self.ab("--keep", kept, "--", "true", "--", "true", status=2)

    def test_a_regression_is_its_status(self):
        result = self.ab("--runs", 4, "--format", "json", "--", *self.command("A"), "--", *self.command("B", 1.5),
                         status=1)
        self.assertEqual(json.loads(result.stdout)["verdict"], "regression")
        self.ab("--runs", 4, "--fail-on", "none", "--", *self.command("A"), "--", *self.command("B", 1.5))

    def test_a_launch_is_one_run(self):
        merged = self.folder / "merged.json"
        other = self.folder / "other.json"
        document = json.loads(GOLDEN.read_text())
        document["run"]["id"] = "1" * 32
        other.write_text(json.dumps(document))
        launch.run_program("collbench", "merge", "-o", merged, GOLDEN, other)
        several = self.program("several", f"#!/bin/sh\nfor file; do :; done\ncp {merged} $file\n")
        result = self.ab("--runs", 1, "--", several, "--", several, status=2)
        self.assertRegex(result.stderr, r"a1\.json: holds 2 runs, and one launch is one run")

    def test_what_a_launch_printed_has_no_control_characters(self):
        fails = self.program("fails", "#!/bin/sh\nprintf '\\033[2Jgone\\nlast'\nexit 3\n")
        result = self.ab("--runs", 1, "--", fails, "--", fails, status=3)
        self.assertTrue(result.stderr.endswith("\n\\x1b[2Jgone\nlast\n"), result.stderr)

    def test_launches_that_cannot_be_compared_are_few_and_kept(self):
        result = self.ab("--runs", 9, "--filter", "nope", "--", *self.command("A"), "--", *self.command("B"), status=2)
        kept = re.search(r"^collbench: 2 of 18 launches are done, the files are in (.*)$", result.stderr, re.MULTILINE)
        self.assertTrue(kept, result.stderr)
        folder = pathlib.Path(kept[1])
        self.addCleanup(shutil.rmtree, folder)
        self.assertEqual(sorted(path.name for path in folder.glob("*.json")), ["a1.json", "b1.json"])

    def test_a_full_disk_is_the_reason_that_is_named(self):
        mount = "mount -t tmpfs -o size=16k none \"$1\" && head -c 64k /dev/zero > \"$1/filler\" 2> /dev/null; shift"
        unshare = shutil.which("unshare")
        if unshare is None or launch.run_program(unshare, "-m", "true").returncode != 0:
            self.skipTest("requires unshare, to mount a small disk")
        full = self.folder / "full"
        full.mkdir()
        command = f"{mount}; mkdir -p \"$0\"; exec \"$@\""
        result = launch.run_program(unshare, "-m", "sh", "-c", command, full / "kept", full,
                                    launch.program_path("collbench"), "ab", "--keep", full / "kept", "--",
                                    "false", "--", "true")
        self.assertEqual(result.returncode, 3, result.output)
        self.assertIn(f"{full / 'kept'} has no space left for the files of launches: --keep DIR names another folder",
                      result.stderr)

    def test_a_pipe_is_no_result(self):
        pipes = self.program("pipes", "#!/bin/sh\nfor file; do :; done\nmkfifo $file\n")
        result = self.ab("--runs", 1, "--", pipes, "--", pipes, status=2)
        self.assertIn("nobody writes into this pipe", result.stderr)

    def test_a_launch_that_fails_ends_it_with_its_status(self):
        fails = self.program("fails", "#!/bin/sh\necho this is why\nexit 4\n")
        result = self.ab("--", *self.command("A"), "--", fails, status=4)
        self.assertIn("collbench: launch 2 of 10, B1: ended with status 4\nthis is why\n", result.stderr)
        self.assertEqual(result.stdout, "")
        result = self.ab("--", "/no/such/program", "--", fails, status=2)
        self.assertEqual(result.stderr, "collbench: /no/such/program cannot be started: No such file or directory\n")
        result = self.ab("--", "true", "--", "true", status=2)
        self.assertIn("ended well, but wrote no file; it has to take -J FILE as its last flag", result.stderr)
        killed = self.program("killed", "#!/bin/sh\nkill -KILL $$\n")
        self.ab("--", killed, "--", killed, status=137)

    def test_a_launch_that_ends_like_a_verdict_is_none(self):
        for number in (1, 6):
            ends = ("sh", "-c", f"exit {number}")
            result = self.ab("--", *ends, "--", *ends, status=3)
            self.assertIn(f"ended with status {number}", result.stderr)

    def test_nohup_holds(self):
        command = ("trap '' HUP; exec \"$0\" ab --runs 1 --launch-timeout 0.5 -- sh -c 'kill -HUP $PPID; sleep 9' "
                   "-- true")
        result = launch.run_program("/bin/sh", "-c", command, launch.program_path("collbench"))
        self.assertEqual(result.returncode, 5, result.output)  # the deadline, not the signal

    def test_the_deadline_ends_a_launch_and_what_it_started(self):
        sleeps = self.program("sleeps", f"#!/bin/sh\nsleep 60 &\necho $! > {self.folder}/pid\nwait\n")
        result = self.ab("--launch-timeout", "2", "--", sleeps, "--", sleeps, status=5)
        self.assertIn("launch 1 of 10, A1: not done after 2 s (--launch-timeout)", result.stderr)
        self.assertFalse(self.runs(int((self.folder / "pid").read_text())))

    @staticmethod
    def runs(pid):
        """Whether it is there and no zombie."""
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def test_a_signal_ends_the_launch_and_says_what_was_done(self):
        sleeps = self.program("sleeps", f"#!/bin/sh\necho $$ > {self.folder}/pid\nexec sleep 60\n")
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)):
            (self.folder / "pid").unlink(missing_ok=True)
            with launch.start(launch.program_path("collbench"), "ab", "--runs", "2", "--", *self.command("A"), "--",
                              sleeps) as ab:
                deadline = time.monotonic() + 30
                while not (self.folder / "pid").exists() and time.monotonic() < deadline:
                    time.sleep(0.01)
                os.kill(ab.pid, number)
                result = ab.wait(30)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn(f"launch 2 of 4, B1: ended by {number.name}; 1 launch is done, the files are gone, "
                          "--keep DIR keeps them\n", result.stderr)

    def test_a_real_benchmark_against_itself(self):
        command = launch.mpirun(2, launch.program_path("all_reduce_perf"), "-b", "8", "-e", "8", "--samples", "5")
        result = launch.run_program("collbench", "ab", "--runs", 1, "--format", "json", "--fail-on", "none", "--",
                                    *command, "--", *command)
        self.assertIn(result.returncode, (0, 6), result.stderr)
        rows = json.loads(result.stdout)["rows"]
        self.assertEqual([(len(row["base_launches_us"]), len(row["new_launches_us"])) for row in rows], [(1, 1)] * 2)


if __name__ == "__main__":
    unittest.main()
