#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# The page of `collbench report` in a real browser without a network: charts, tables, widths, dark and on paper.
import copy
import json
import pathlib
import tempfile
import unittest

import browser
import launch

STARTS_NO_RANKS = True

GOLDEN = launch.ROOT / "tests/golden"
EVIL = "</script><img src=x onerror=window.evil=1>\"'&"

# Whether a canvas has points of several colours.
DRAWN = """(canvas) => {
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let i = 0; i < data.length && colours.size < 4; i += 4) {
    if (data[i + 3]) colours.add(data[i] + 256 * data[i + 1] + 65536 * data[i + 2]);
  }
  return colours.size >= 2;
}"""


def sweep(document, name):
    """The document with rows of ten sizes, of the golden file's first, and with text that looks like markup."""
    document = copy.deepcopy(document)
    measured = document["rows"][0]
    document["rows"] = document["rows"][:7]
    for power in range(4, 14):
        row = copy.deepcopy(measured)
        row["message_bytes"] = row["requested_bytes"] = 4 ** power
        document["rows"].append(row)
    document["run"]["git_commit"] = EVIL + name
    document["environment"]["hosts"][0]["name"] = EVIL
    document["environment"]["hosts"][0]["cpu_model"] = "x" * 300
    return document


def timeline():
    lanes = [{"ph": "M", "name": "process_name", "pid": rank, "args": {"name": f"rank {rank} {EVIL}"}} for rank in (0, 1)]
    ops = [{"ph": "X", "name": f"{kind}{i} layer", "pid": rank, "tid": 0, "ts": 10 * i + 5 * rank, "dur": 8}
           for rank in (0, 1) for i in range(20) for kind in ("F" if i < 10 else "B")]
    return {"traceEvents": lanes + ops}


@unittest.skipUnless(browser.program(), "requires chromium: package chromium-headless-shell")
class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        rows = json.loads((GOLDEN / "results-1.1.json").read_text())
        files = []
        for name, content in (("base", sweep(rows, "base")), ("new", sweep(rows, "new")), ("trace", timeline())):
            files.append(cls.folder / f"{name}.json")
            files[-1].write_text(json.dumps(content))
        cls.page = cls.folder / "report.html"
        result = launch.run_program("collbench", "report", *files, GOLDEN / "results-1.1-steps.json", "-o", cls.page)
        assert result.returncode == 0, result.output
        cls.browser = cls.enterClassContext(browser.Browser())

    def test_charts_are_drawn_and_nothing_is_loaded(self):
        page = self.browser.open(self.page)
        charts = page.evaluate("document.querySelectorAll('figure').length")
        self.assertGreater(charts, 10)
        drawn = page.evaluate(f"[...document.querySelectorAll('figure canvas')].map({DRAWN})")
        self.assertEqual(drawn, [True] * charts)
        self.assertEqual(page.complaints(), [])
        self.assertEqual(page.requests(), [f"file://{self.page}"])

    def test_many_charts_are_drawn_when_they_come_into_view(self):
        document = json.loads((GOLDEN / "results-1.1.json").read_text())
        measured = document["rows"][0]
        document["rows"] = []
        for mode in range(30):
            for size in (64, 4096):
                row = copy.deepcopy(measured)
                row.update(mode=f"mode {mode}", message_bytes=size, requested_bytes=size)
                document["rows"].append(row)
        many, target = self.folder / "many.json", self.folder / "many.html"
        many.write_text(json.dumps(document))
        self.assertEqual(launch.run_program("collbench", "report", many, "-o", target).returncode, 0)
        page = self.browser.open(target)
        frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"
        counts = "['figure', 'canvas'].map((name) => document.querySelectorAll(name).length)"
        page.evaluate(frames)
        figures, canvases = page.evaluate(counts)
        self.assertGreater(figures, 50)
        self.assertTrue(0 < canvases < figures, canvases)
        last = "[...document.querySelectorAll('figure')].pop()"
        page.evaluate(f"{last}.scrollIntoView()")
        page.evaluate(frames)
        self.assertEqual(page.evaluate(f"{last}.querySelectorAll('canvas').length"), 1)
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(page.evaluate(counts), [figures, figures])
        self.assertEqual(page.complaints(), [])

    def test_text_of_files_is_never_markup(self):
        page = self.browser.open(self.page)
        self.assertEqual(page.evaluate("[typeof window.evil, document.images.length]"), ["undefined", 0])
        self.assertIn("<img src=x onerror", page.evaluate("document.getElementById('runs').textContent"))

    def test_no_part_is_wider_than_the_window(self):
        for width in (400, 1600):
            page = self.browser.open(self.page, width=width)
            for opened in ("false", "true"):
                page.evaluate(f"document.querySelectorAll('details').forEach((e) => {{ e.open = {opened}; }})")
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"),
                                     page.evaluate("document.documentElement.clientWidth"), width)
                wider = page.evaluate("[...document.querySelectorAll('figure, p, li, h1, h2, h3, .scroll')].filter("
                                      "(e) => e.getBoundingClientRect().right > innerWidth).map((e) => e.outerHTML)")
                self.assertEqual(wider, [])

    def test_without_scripts_tables_are_open_and_there_are_no_charts(self):
        page = self.browser.open(self.page, scripts=False)
        tables = page.evaluate("[...document.querySelectorAll('table')].map((e) => e.getBoundingClientRect().height)")
        self.assertGreater(len(tables), 10)
        self.assertGreater(min(tables), 20)
        self.assertEqual(page.evaluate("document.querySelectorAll('canvas').length"), 0)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.plot')].every((e) => !e.offsetHeight)"), True)

    def test_with_scripts_tables_below_charts_are_folded(self):
        page = self.browser.open(self.page)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('details')].some((e) => e.open)"), False)

    def ground_and_picture(self, page):
        """After the next frame, when the page has heard of what changed."""
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        return page.evaluate("[getComputedStyle(document.body).backgroundColor, "
                             "document.querySelector('canvas').toDataURL()]")

    def test_the_system_may_turn_dark_at_any_time(self):
        page = self.browser.open(self.page, dark=True)
        dark_ground, dark_picture = self.ground_and_picture(page)
        page.colours(dark=False)
        ground, picture = self.ground_and_picture(page)
        self.assertEqual(ground, "rgb(255, 255, 255)")
        self.assertLess(sum(map(int, dark_ground[4:-1].split(","))), 150, dark_ground)
        self.assertFalse(picture == dark_picture, "the colours of charts stay dark")
        self.assertEqual(page.complaints(), [])

    def test_paper_is_white_with_all_tables(self):
        page = self.browser.open(self.page, dark=True)
        self.assertTrue(page.pdf().startswith(b"%PDF"))
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.colours(dark=True, media="print")
        ground, picture = self.ground_and_picture(page)
        self.assertEqual(ground, "rgb(255, 255, 255)")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('details')].every((e) => e.open)"), True)
        self.assertEqual(page.evaluate("getComputedStyle(document.querySelector('nav')).display"), "none")
        page.colours(dark=True)
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('details')].some((e) => e.open)"), False)
        self.assertFalse(self.ground_and_picture(page)[1] == picture, "the colours of charts stay those of paper")

    def test_charts_have_words_for_those_who_do_not_see_them(self):
        page = self.browser.open(self.page)
        words = page.evaluate("[...document.querySelectorAll('figure')].map((e) => e.getAttribute('aria-label'))")
        self.assertTrue(all(words), words)


if __name__ == "__main__":
    unittest.main()
