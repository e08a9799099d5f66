#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Result files against the JSON Schema, by a validator that is not ours.
"""The golden files are byte for byte what the code writes (src/results/json_test.cpp)."""

import copy
import json
import pathlib
import tempfile
import unittest

import jsonschema

import launch

GOLDEN = launch.ROOT / "tests/golden"
SCHEMA = launch.ROOT / "results/schema/results-1.schema.json"


def refuse(token):
    raise ValueError(f"{token} is not JSON")


def load(path):
    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def validator(path=SCHEMA):
    schema = load(path)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def problems(document, path=SCHEMA):
    return [f"{error.json_path}: {error.message}" for error in validator(path).iter_errors(document)]


class GoldenFiles(unittest.TestCase):
    def test_are_valid(self):
        for name in ("results-1.0.json", "results-1.1.json", "results-1.1-running.json",
                     "results-1.1-split.json", "results-1.1-soak.json", "results-1.1-steps.json",
                     "results-1.1-scaling.json"):
            with self.subTest(name):
                self.assertEqual(problems(load(GOLDEN / name)), [])

    def test_example_of_the_readme_is_the_first_row(self):
        text = (launch.ROOT / "results/README.md").read_text(encoding="utf-8")
        example = text.split("```json\n")[1].split("```")[0]
        self.assertEqual(json.loads(example, parse_constant=refuse),
                         load(GOLDEN / "results-1.1.json")["rows"][0])

    def test_lines_of_rows_are_valid_rows(self):
        document = load(GOLDEN / "results-1.1.json")
        lines = (GOLDEN / "results-1.1-running.json.rows").read_text().split("\n")
        document["rows"] = [json.loads(line, parse_constant=refuse) for line in lines[:-1]]
        self.assertEqual(len(document["rows"]), 2)
        self.assertEqual(problems(document), [])


class Scaling(unittest.TestCase):
    """What `collbench scaling --json` writes is byte for byte the golden file (src/report/scaling_formats_test.cpp)."""
    SCHEMA = launch.ROOT / "results/schema/scaling-1.schema.json"

    def setUp(self):
        self.study = load(GOLDEN / "scaling-1.0.json")

    def test_is_valid(self):
        self.assertEqual(problems(self.study, self.SCHEMA), [])

    def test_what_is_broken_is_refused(self):
        law, universal = self.study["steps"][0]["laws"]
        for block, change in ((self.study, {"extra": 1}), (self.study["steps"][0]["points"][0], {"ranks": 0}),
                              (law, {"coherency": 1}), (universal, {"adequate": False}), (universal, {"contention": 2}),
                              (universal["beyond"], {"extrapolated": False}),
                              (self.study["collectives"][0]["points"][0], {"flags": ["Bad Flag"]}),
                              (self.study["links"][0]["pieces"][0], {"algbw_GBps": "inf"})):
            with self.subTest(change):
                before = dict(block)
                block.update(change)
                self.assertEqual(len(problems(self.study, self.SCHEMA)), 1)
                block.clear()
                block.update(before)


class Schemes(unittest.TestCase):
    """Likewise of `collbench schemes --format json` (src/report/scheme_formats_test.cpp)."""

    def test_golden_file_is_valid(self):
        schema = launch.ROOT / "results/schema/schemes-1.schema.json"
        study = load(GOLDEN / "schemes-1.0.json")
        self.assertEqual(problems(study, schema), [])
        study["tables"][0]["rows"][0]["fits"] = 1
        self.assertEqual(len(problems(study, schema)), 1)


class Comparisons(unittest.TestCase):
    def test_golden_file_is_valid(self):
        schema = launch.ROOT / "results/schema/comparison-1.schema.json"
        self.assertEqual(problems(load(GOLDEN / "comparison.json"), schema), [])


class BrokenDocuments(unittest.TestCase):
    """Each change makes the golden file invalid, at the place named."""

    def setUp(self):
        self.document = load(GOLDEN / "results-1.1.json")

    def broken(self, place, change):
        document = copy.deepcopy(self.document)
        change(document)
        found = problems(document)
        self.assertTrue(any(place in problem for problem in found), f"{place} not in {found}")

    def test_unknown_fields(self):
        for place, block in (("$", lambda d: d), ("$.run", lambda d: d["run"]),
                             ("$.environment.hosts[0]", lambda d: d["environment"]["hosts"][0]),
                             ("$.config", lambda d: d["config"]),
                             ("$.rows[0]", lambda d: d["rows"][0]),
                             ("$.rows[0].time_us", lambda d: d["rows"][0]["time_us"]),
                             ("$.rows[0].check", lambda d: d["rows"][0]["check"]),
                             ("$.summary", lambda d: d["summary"])):
            with self.subTest(place):
                self.broken(f"{place}: ",
                            lambda d, block=block: block(d).update(extra=1))

    def test_missing_fields(self):
        for field in ("collective", "type", "op", "message_bytes", "count", "ranks", "nodes", "root",
                      "in_place", "backend", "mode", "aggregation", "requested_bytes", "status", "time_us",
                      "samples_us", "busbw_GBps", "flags"):
            with self.subTest(field):
                self.broken("$.rows[0]: ", lambda d, field=field: d["rows"][0].pop(field))

    def test_wrong_types(self):
        for field, value in (("in_place", "false"), ("message_bytes", 8.5), ("message_bytes", -1),
                             ("ranks", 0), ("type", "float8"), ("op", "none"), ("status", "OK"),
                             ("samples_us", []), ("busbw_GBps", "nan"), ("flags", ["Bad Flag"])):
            with self.subTest(field=field, value=value):
                self.broken(f"$.rows[0].{field}",
                            lambda d, field=field, value=value: d["rows"][0].update({field: value}))

    def test_skipped_row_with_bandwidth_or_without_reason(self):
        skipped = next(i for i, row in enumerate(self.document["rows"])
                       if row["status"] == "skipped")
        self.broken(f"$.rows[{skipped}]", lambda d: d["rows"][skipped].update(busbw_GBps=0))
        self.broken(f"$.rows[{skipped}]", lambda d: d["rows"][skipped].pop("reason"))

    def test_wrong_row_without_reason(self):
        wrong = next(i for i, row in enumerate(self.document["rows"]) if row["status"] == "wrong")
        self.broken(f"$.rows[{wrong}]", lambda d: d["rows"][wrong].pop("reason"))

    def test_run_that_did_not_end(self):
        self.broken("$.run", lambda d: d["run"].update(status="running"))
        self.broken("$.rows", lambda d: d["run"].update(status="running"))
        self.broken("$.run", lambda d: d["run"].pop("ended"))

    def test_groups_that_are_averaged_together(self):
        self.document = load(GOLDEN / "results-1.1-split.json")
        self.broken("$.summary", lambda d: d["summary"].update(mean_busbw_GBps=1.5))
        self.broken("$.summary.groups[0]", lambda d: d["summary"]["groups"][0].pop("group"))
        self.broken("$.summary.groups[0]", lambda d: d["summary"]["groups"][0].update(extra=1))
        self.broken("$.rows[0].group", lambda d: d["rows"][0]["group"].pop("rule"))

    def test_other_versions(self):
        self.broken("$.schema_version", lambda d: d.update(schema_version="2.0"))
        self.broken("$.schema", lambda d: d.update(schema="other"))

    def test_local_times(self):
        self.broken("$.run.started", lambda d: d["run"].update(started="2026-03-01 12:00:00"))

    def test_bare_nan_is_not_json(self):
        with self.assertRaises(ValueError):
            json.loads('{"x": NaN}', parse_constant=refuse)


class RealRuns(unittest.TestCase):
    def test_every_collective_writes_a_valid_file(self):
        programs = [f"{name}_perf" for name in launch.collectives()]
        for program in programs:
            with self.subTest(program), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "out.json"
                result = launch.run_ranks(2, program, "-b", "8", "-e", "64K", "-f", "16",
                                          "-n", "4", "-J", file, "--min-busbw", "8=1e-9,128=1",
                                          env={"NCCL_TESTS_MIN_BW": "1e-9"})
                self.assertIn(result.returncode, (1, 6), result.output)  # of the thresholds
                document = load(file)
                self.assertEqual(problems(document), [])
                self.assertEqual(document["run"]["status"], "complete")
                self.assertGreater(document["summary"]["measured"], 0)
                self.assertFalse(file.with_name("out.json.rows").exists())


if __name__ == "__main__":
    unittest.main()
