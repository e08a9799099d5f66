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
            row |= {"time_us": {"n": 1, "median": time_us}, "samples_us": [time_us]}
            row.pop("per_rank", None)  # of other samples
            document["rows"].append(row)
        path = self.folder / name
        path.write_text(json.dumps(document))
        return path

    def test_an_incomplete_run_is_said_to_be_one(self):
        path = self.results("sweep.json", [(2**k, 20 + 2**k / 10e3, {}) for k in range(10, 28)])
        document = json.loads(path.read_text())
        document["run"]["status"] = "running"
        del document["run"]["ended"], document["run"]["exit_status"]
        path.write_text(json.dumps(document))
        result = launch.run_program("collbench", "fit", path)
        self.assertEqual(result.returncode, 0, result.output)
        self.assertEqual(result.stderr,
                         f"collbench: {path}: a run is incomplete: what it had measured by then is fitted\n")

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

    def test_messages_of_steps_that_were_measured_alone(self):
        steps = json.loads((GOLDEN.parent / "results-1.1-steps.json").read_text())
        step = next(s for s in steps["steps"] if s["status"] == "ok")
        known = steps["environment"]["ranks"]
        steps["environment"]["ranks"] = [known[0] | {"rank": rank, "host": rank // 2} for rank in range(4)]
        like = next(m for m in step["messages"] if m["group_size"] == 2)
        step["messages"] = [like | {"operation": operation, "message_bytes": size, "time_us": latency_us + size / 10e3}
                            for operation, latency_us in (("all_gather", 20), ("send", 5)) for size in (2**20, 2**22)]
        step["messages"].append({key: value for key, value in like.items() if "time" not in key and "GBps" not in key})
        steps["steps"] = [step]
        path = self.folder / "steps.json"
        path.write_text(json.dumps(steps))
        result = launch.run_program("collbench", "fit", path)
        self.assertEqual(result.returncode, 0, result.output)
        # Ranks 0 and 2, of two nodes with two ranks each.
        self.assertEqual(result.stdout, "".join(
            f"{operation} ranks 2 nodes 2 from_bytes 0 latency_us {latency_us} bandwidth_GBps 10  "
            "# 2 rows, median error 0.0 %\n" for operation, latency_us in (("all_gather", 20), ("sendrecv", 5))))

    def test_times_that_do_not_grow_have_a_line_too(self):
        path = self.results("flat.json", [(2**k, 20, {}) for k in range(10, 14)])
        result = launch.run_program("collbench", "fit", path)
        self.assertEqual(result.returncode, 0, result.output)
        self.assertRegex(result.stdout, r"latency_us 20 bandwidth_GBps 1e\+06  # 4 rows")

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
