# SPDX-License-Identifier: Apache-2.0
# `collbench fit`: from result files to the links that predictions read.

import json
import pathlib
import re
import tempfile
import unittest

import launch

GOLDEN = launch.ROOT / "tests/golden/results-1.1.json"


class Fit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def results(self, name, rows):
        """A result file like the golden one, whose rows have these sizes and times."""
        document = json.loads(GOLDEN.read_text())
        like = next(r for r in document["rows"] if r["status"] == "ok" and r["ranks"] > 1)
        document["rows"] = []
        for size, time_us, changes in rows:
            row = json.loads(json.dumps(like)) | {"message_bytes": size, "in_place": False} | changes
            row["time_us"]["median"] = time_us
            document["rows"].append(row)
        path = self.folder / name
        path.write_text(json.dumps(document))
        return path

    def test_a_sweep_becomes_a_line_that_predictions_read(self):
        sizes = [2**k for k in range(10, 28)]
        rows = [(size, 20 + size / 10e3, {}) for size in sizes]  # 20 us, 10 GB/s
        rows += [(size, 1, {"in_place": True}) for size in sizes]  # left out
        path = self.results("sweep.json", rows)
        key = json.loads(path.read_text())["rows"][0]
        result = launch.run_program("collbench", "fit", path)
        self.assertEqual(result.returncode, 0, result.output)
        self.assertEqual(
            result.stdout,
            f"{key['collective']} ranks {key['ranks']} nodes {key['nodes']} from_bytes 0 "
            "latency_us 20 bandwidth_GBps 10  # 18 rows, median error 0.0 %\n")
        links = self.folder / "links.txt"
        links.write_text(result.stdout)
        used = launch.run_program("data_parallel_perf", "--model", "tiny", "--ranks", "4",
                                  "--predict", "--links", links)
        self.assertEqual(used.returncode, 0, used.output)

    def test_files_are_fitted_together(self):
        small = self.results("small.json", [(1024, 20.1024, {}), (2048, 20.2048, {})])
        large = self.results("large.json", [(2**20, 124.8576, {}), (2**21, 229.7152, {})])
        result = launch.run_program("collbench", "fit", small, large)
        self.assertEqual(result.returncode, 0, result.output)
        self.assertRegex(result.stdout, r"latency_us 20 bandwidth_GBps 10  # 4 rows")

    def test_nothing_to_fit(self):
        path = self.results("one.json", [(1024, 20, {})])
        result = launch.run_program("collbench", "fit", path)
        self.assertEqual(result.returncode, 6, result.output)
        self.assertRegex(result.stdout, r"^# \w+ ranks \d+ nodes \d+: one size says nothing")
        self.assertTrue(result.stderr.startswith("collbench: nothing to fit: "), result.stderr)

    def test_what_a_run_writes(self):
        path = self.folder / "run.json"
        ran = launch.run_ranks(2, "all_gather_perf", "-b", "1K", "-e", "1M", "-f", "4", "-n", "5",
                               "-J", path)
        self.assertEqual(ran.returncode, 0, ran.output)
        result = launch.run_program("collbench", "fit", path)
        self.assertEqual(result.returncode, 0, result.output)
        self.assertTrue(all(re.match(r"all_gather ranks 2 nodes 1 from_bytes \d+ ", line)
                            for line in result.stdout.splitlines()), result.stdout)


if __name__ == "__main__":
    unittest.main()
