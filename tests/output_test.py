# SPDX-License-Identifier: Apache-2.0
# What runs print in other forms than their own, and what `collbench convert` makes of their files.
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from launch import ROOT, environment, program_path, run_program, run_ranks

ROWS = ("-b", "8", "-e", "1K", "-f", "128")


class NcclCompat(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "run.json"

    def run_compat(self, program, *flags):
        result = run_ranks(2, program, *ROWS, "--nccl-compat", "-J", self.path, *flags)
        self.assertEqual(result.returncode, 0, result.output)
        return result.stdout

    def test_measures_as_nccl_tests_does(self):
        self.run_compat("all_reduce_perf")
        config = json.loads(self.path.read_text())["config"]
        self.assertEqual((config["fixed_iterations"], config["warmup_iterations"], config["aggregation"]),
                         (20, 1, "mean"))

    def test_prints_nothing_that_nccl_tests_does_not(self):
        lines = self.run_compat("all_reduce_perf").splitlines()
        self.assertRegex(lines[0], r"^# nccl-tests version 2\.19\.6 nccl-headers=\d+ nccl-library=\d+$")
        self.assertEqual(lines[1], "# Collective test starting: all_reduce_perf")
        self.assertRegex(lines[2], "^# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 128\\(factor\\) "
                                   "warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0$")
        self.assertEqual(lines[3:5], ["#", "# Using devices"])
        self.assertEqual(len(lines[5:7]), 2)
        self.assertTrue(all(line.startswith("#  Rank ") for line in lines[5:7]))
        self.assertEqual(lines[7], "#")
        self.assertTrue(all(line.startswith("#   ") for line in lines[8:11]))
        self.assertTrue(all(re.match(r" +\d+ +\d+ +float +sum +-1( +\S+){8}$", line) for line in lines[11:13]))
        self.assertEqual(lines[13], "# Out of bounds values : 0 OK")
        self.assertRegex(lines[14], r"^# Avg bus bandwidth    : \S+ $")
        self.assertEqual(lines[15:], ["#", "# Collective test concluded: all_reduce_perf", "#", ""])

    def test_convert_gives_the_same_text(self):
        for program in ("all_reduce_perf", "alltoall_perf", "broadcast_perf"):
            with self.subTest(program=program):
                printed = self.run_compat(program, "--force")
                converted = run_program("collbench", "convert", "--to", "nccl-tests", self.path)
                self.assertEqual(converted.returncode, 0, converted.stderr)
                self.assertEqual(converted.stdout, printed)


class Timestamps(unittest.TestCase):
    def test_at_the_end_of_each_row_and_in_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.json"
            result = run_ranks(2, "all_reduce_perf", *ROWS, "-n", "1", "-S", "1", "-J", path,
                               env={"TZ": "UTC"})
            self.assertEqual(result.returncode, 0, result.output)
            stamps = re.findall(r"^ .* {2}(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)$", result.stdout, re.MULTILINE)
            rows = json.loads(path.read_text())["rows"]
            self.assertEqual([stamp.replace(" ", "T") + "Z" for stamp in stamps],
                             [row["ended"] for row in rows[1::2]])
            self.assertRegex(result.stdout, r"#wrong +timestamp\n")


class Statistics(unittest.TestCase):
    def test_columns_beside_the_rows_leave_nccl_tests_columns_where_they_are(self):
        result = run_ranks(2, "all_reduce_perf", *ROWS, "--samples", "40", "--stats")
        rows = [line.split() for line in result.stdout.splitlines() if line and not line.startswith("#")]
        self.assertEqual([len(row) for row in rows], [19, 19])
        for row in rows:
            self.assertEqual(row[8], "0")
            for cell in (row[13], row[14], row[16], row[17]):
                self.assertRegex(cell, r"^\d+\.\d\d$")
            for cell in (row[15], row[18]):
                self.assertRegex(cell, r"^[01]:\d+%$")


class Colours(unittest.TestCase):
    FAILED = ("-n", "1", "--min-busbw", "8=1000000")

    def test_only_where_they_are_wanted(self):
        for env, coloured in (({}, False), ({"FORCE_COLOR": "1"}, True),
                              ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)):
            result = run_ranks(2, "all_reduce_perf", "-b", "8", "-e", "8", *self.FAILED, env=env)
            self.assertEqual("\x1b[31m# Min bus bandwidth" in result.stdout, coloured, env)
            self.assertEqual("\x1b" in result.stdout, coloured, env)

    def test_on_a_terminal(self):
        try:
            for end in os.openpty():
                os.close(end)
        except OSError:
            self.skipTest("requires a pty, and there is no /dev/pts")
        command = f"{program_path('all_reduce_perf')} -b 8 -e 8 -n 1 --min-busbw 8=1"
        for extra, coloured in (({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False),
                                ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
            ended = subprocess.run(["script", "-qec", command, "/dev/null"], env=environment(extra),
                                   stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                                   check=False)
            self.assertIn("INCONCLUSIVE", ended.stdout)
            self.assertEqual("\x1b[31m" in ended.stdout, coloured, extra)


class Csv(unittest.TestCase):
    def test_every_row_of_every_file_under_one_header(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / f"{n}.json" for n in (1, 2)]
            for path in paths:
                run_ranks(2, "alltoall_perf", *ROWS, "-n", "2", "-J", path)
            result = run_program("collbench", "convert", "--to", "csv", *paths)
            self.assertEqual(result.returncode, 0, result.stderr)
            lines = list(csv.DictReader(io.StringIO(result.stdout)))
            rows = [(d["run"]["id"], row) for d in (json.loads(p.read_text()) for p in paths)
                    for row in d["rows"]]
            self.assertEqual(len(lines), len(rows))
            for line, (run, row) in zip(lines, rows):
                self.assertEqual(line["run"], run)
                self.assertEqual(line["message_bytes"], str(row["message_bytes"]))
                self.assertEqual(line["in_place"], str(row["in_place"]).lower())
                self.assertEqual(line["status"], row["status"])
                self.assertEqual(line["reason"], row.get("reason", ""))
                time_us = row.get("time_us", {}).get("median")
                self.assertEqual(float(line["time_us"]) if line["time_us"] else None, time_us)

    def test_steps_have_columns_of_their_own(self):
        steps_file = ROOT / "tests/golden/results-1.1-steps.json"
        result = run_program("collbench", "convert", "--to", "csv", steps_file, steps_file)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = list(csv.DictReader(io.StringIO(result.stdout)))
        steps = json.loads(steps_file.read_text())["steps"] * 2
        self.assertEqual([line["status"] for line in lines], [step["status"] for step in steps])
        self.assertEqual([line["dp"] for line in lines], [str(step["layout"]["dp"]) for step in steps])


if __name__ == "__main__":
    unittest.main()
