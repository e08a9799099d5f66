#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# `collbench report` as users start it: formats, files, and what it refuses.
import html.parser
import json
import pathlib
import re
import tempfile
import unittest

import launch

STARTS_NO_RANKS = True

GOLDEN = launch.ROOT / "tests/golden"
ROWS = GOLDEN / "results-1.1.json"
STEPS = GOLDEN / "results-1.1-steps.json"
TIMELINE = {"traceEvents": [
    {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "rank 0"}},
    {"ph": "X", "name": "F0 layer 0", "pid": 0, "tid": 0, "ts": 0.5, "dur": 20},
]}


def report(*arguments):
    return launch.run_program("collbench", "report", *arguments, timeout=20)


class Ids(html.parser.HTMLParser):
    """The ids of a page, and every value of an attribute that loads something."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.loaded, self.handlers = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "data", "action", "srcset", "poster") and not value.startswith("#"):
                self.loaded.append((tag, name, value))
            if name.startswith("on"):
                self.handlers.append((tag, name))


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_page_has_all_that_the_files_have_and_loads_nothing(self):
        timeline = self.folder / "trace.json"
        timeline.write_text(json.dumps(TIMELINE))
        page = self.folder / "report.html"
        result = report(ROWS, STEPS, timeline, "-o", page, "--title", "Nightly <run>")
        self.assertEqual((result.returncode, result.output), (0, ""))
        text = page.read_text()
        found = Ids(text)
        for name in ("problems", "summary", "sweeps", "matrix", "ranks", "steps", "timeline", "flags", "runs"):
            self.assertIn(name, found.ids)
        self.assertEqual(found.loaded, [])
        self.assertEqual(found.handlers, [])
        self.assertIn("<title>Nightly &lt;run&gt;</title>", text)
        style = re.search("<style>(.*?)</style>", text, re.DOTALL).group(1)
        self.assertNotRegex(style, r"url\(|@import")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["report.html", "trace.json"])

    def test_every_format_says_what_went_wrong(self):
        for name, words in (("text", "problem: results-1.1: 1 row wrong"), ("markdown", "**problem: results-1"),
                            ("html", "problem: results-1.1: 1 row wrong")):
            result = report(ROWS, "--format", name)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(words, result.stdout)

    def test_csv_and_prom_have_all_files(self):
        document = json.loads(ROWS.read_text())
        rows = len(document["rows"])
        document["run"]["id"] = "another"
        (self.folder / "another.json").write_text(json.dumps(document))
        lines = report(ROWS, self.folder / "another.json", "--format", "csv").stdout.splitlines()
        self.assertEqual(len(lines), 1 + 2 * rows)
        self.assertEqual(report(STEPS, "--format", "csv").returncode, 0)
        mixed = report(ROWS, STEPS, "--format", "csv")
        self.assertEqual(mixed.returncode, 2)
        self.assertIn("results-1.1-steps: holds training steps", mixed.stderr)
        prom = report(ROWS, STEPS, "--format", "prom").stdout
        self.assertIn('collbench_last_run_success{program="all_reduce_perf"} 0\n', prom)
        self.assertIn("\ncollbench_step_time_seconds{", prom)

    def test_what_stands_behind_two_dashes_is_compared(self):
        base, new = self.folder / "base", self.folder / "new"
        for folder in (base, new):
            folder.mkdir()
            for number in range(3):
                document = json.loads(ROWS.read_text())
                document["run"]["id"] = f"{folder.name}{number}"
                (folder / f"{number}.json").write_text(json.dumps(document))
        result = report(base, "--", new)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"What has changed\n-+\n")
        self.assertIn("rows of 3 launches against 3: ", result.stdout)
        twice = report(base, "--", base)
        self.assertEqual(twice.returncode, 0, twice.stderr)
        again = report(base, base, "--", new)
        self.assertIn("rows of 3 launches against 3: ", again.stdout)
        self.assertEqual(again.stderr.count("is there already, and is shown once"), 3)

    def test_a_folder_is_the_results_in_it(self):
        document = json.loads(ROWS.read_text())
        for name in ("a.json", "b.json"):
            document["run"]["id"] = name
            (self.folder / name).write_text(json.dumps(document))
        result = report(self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("2 runs, started ", result.stdout)

    def test_a_run_that_is_there_twice_is_shown_once(self):
        (self.folder / "copy.json").write_bytes(ROWS.read_bytes())
        result = report(ROWS, self.folder / "copy.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"^collbench: .*/copy\.json: run [0-9a-f]+ is there already, and is shown once\n$")
        self.assertIn("1 run, started ", result.stdout)

    def test_a_report_never_replaces_what_it_was_made_of(self):
        copy = self.folder / "a.json"
        copy.write_bytes(ROWS.read_bytes())
        result = report(copy, "-o", copy, "--format", "html")
        self.assertEqual(result.returncode, 2)
        self.assertIn("is one of the files to read", result.stderr)
        self.assertEqual(copy.read_bytes(), ROWS.read_bytes())

    def test_what_cannot_be_read_or_written_is_one_sentence(self):
        broken = self.folder / "broken.json"
        broken.write_text('{"traceEvents": [{"ph": 1}]}')
        nowhere = self.folder / "none" / "x.html"
        for arguments, words in (([broken], "/traceEvents/0/ph: expected"), ([self.folder / "none.json"], "none.json"),
                                 ([ROWS, "-o", nowhere], "none"), ([ROWS, "-o", "x.pdf"], "give --format"),
                                 ([], "FILE")):
            with self.subTest(words):
                result = report(*arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.output)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn(words, result.stderr)

    def test_a_limit_on_files_is_an_error_that_leaves_nothing(self):
        page = self.folder / "report.html"
        limited = 'ulimit -f 8; exec "$0" "$@"'
        result = launch.run_program("/bin/bash", "-c", limited, launch.program_path("collbench"), "report", ROWS, "-o", page)
        self.assertEqual((result.returncode, result.output),
                         (3, f"collbench: {page}: write failed: File too large\n"))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_pipe_is_read_once(self):
        result = launch.run_program("/bin/sh", "-c", f"cat {ROWS} | {launch.BUILD}/collbench report /dev/stdin", timeout=20)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("1 run, started ", result.stdout)

    def test_a_timeline_has_no_rows(self):
        timeline = self.folder / "trace.json"
        timeline.write_text(json.dumps(TIMELINE))
        for name in ("csv", "prom"):
            result = report(timeline, "--format", name)
            self.assertEqual(result.returncode, 2)
            self.assertIn("a timeline", result.stderr)


if __name__ == "__main__":
    unittest.main()
