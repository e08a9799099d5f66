#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# What `collbench` says of models, layouts and their traffic, as users see it.
import json
import pathlib
import re
import tempfile
import unittest

import launch

STARTS_NO_RANKS = True

MODELS_PAGE = (launch.ROOT / "docs/patterns/models.md").read_text()


def collbench(*arguments):
    return launch.run_program("collbench", *arguments, timeout=20)


class ModelTools(unittest.TestCase):
    def assert_refused(self, result, part):
        """Status 2, nothing on stdout, one sentence on stderr."""
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(part, result.stderr)

    def json_of(self, *arguments):
        result = collbench(*arguments, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def model_file(self, **model):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "mine.json"
        path.write_text(json.dumps(model))
        return path


class Models(ModelTools):
    def test_lists_the_models_that_are_built_in(self):
        names = {path.stem for path in (launch.ROOT / "src/model/presets").glob("*.json")}
        self.assertEqual({model["name"] for model in self.json_of("models")["models"]}, names)
        text = collbench("models").stdout
        for name in names:
            self.assertIn(name, text)

    def test_says_what_a_rank_holds(self):
        rank = self.json_of("models", "--model", "llama3-8b", "--dp", "8")["models"][0]["rank"]
        states = {entry["accounting"]: entry["total_bytes"] for entry in rank["states"]}
        parameters = 8030261248
        self.assertEqual(states["zero0"], 16 * parameters)
        self.assertEqual(states["megatron"], 18 * parameters)
        self.assertEqual(states["fsdp2"], 2 * parameters)
        self.assertNotIn("activations_megatron_bytes", rank)
        text = collbench("models", "--model", "llama3-8b", "--dp", "8").stdout
        self.assertIn("119.660", text)  # GiB: 16 bytes of each

    def test_reads_a_model_of_the_user(self):
        path = self.model_file(name="mine", layers=2, hidden=64, ffn=128, heads=4, vocabulary=256,
                               sequence=32)
        model = self.json_of("models", "--model-file", path)["models"][0]
        block = 4 * 64 * 64 + 3 * 64 * 128 + 2 * 64
        self.assertEqual(model["parameters"], 2 * block + 2 * 256 * 64 + 64)

    def test_refuses_a_file_with_a_key_that_it_does_not_know(self):
        path = self.model_file(name="mine", kv_haeds=2)
        self.assert_refused(collbench("models", "--model-file", path), "/layers: missing")
        path = self.model_file(name="mine", layers=2, hidden=64, ffn=128, heads=4, vocabulary=256,
                               sequence=32, kv_haeds=2)
        self.assert_refused(collbench("models", "--model-file", path), "/kv_haeds: unknown key")

    def test_the_page_has_every_key(self):
        whole = dict(name="mine", layers=2, hidden=64, ffn=128, heads=4, vocabulary=256, sequence=32)
        places = {
            "": whole | {"x": 1},
            "experts": whole | {"experts": dict(routed=2, per_token=1, ffn=8, x=1)},
            "latent_attention": whole | {"latent_attention": dict(
                kv_rank=8, nope_head_dim=8, rope_head_dim=8, value_head_dim=8, x=1)},
        }
        known = set()
        for model in places.values():
            error = collbench("models", "--model-file", self.model_file(**model)).stderr
            known |= set(re.search(r"known are (.*)\n", error).group(1).split(", "))
        # Of latent attention the file may not have those of grouped heads.
        known |= {"kv_heads", "head_dim"}
        documented = set(re.findall(r"^\| `(\w+)` \|", MODELS_PAGE, re.MULTILINE))
        documented |= set(re.findall(r"`(\w+)`", MODELS_PAGE.split("`latent_attention` is")[1]
                                     .split("\n\n")[0]))
        self.assertEqual(known, documented)

    def test_the_example_of_the_page_is_a_model(self):
        example = json.loads(re.search(r"```json\n(.*?)```", MODELS_PAGE, re.DOTALL).group(1))
        result = collbench("models", "--model-file", self.model_file(**example))
        self.assertEqual(result.returncode, 0, result.stderr)


class Layout(ModelTools):
    def test_says_which_groups_cross_nodes(self):
        axes = self.json_of("layout", "--ranks", "16", "--tp", "2", "--pp", "4",
                            "--ranks-per-node", "4")["axes"]
        crossing = {axis["axis"]: axis["crossing_nodes"] for axis in axes}
        self.assertEqual(crossing["tp"], 0)
        self.assertEqual(crossing["dp"], 0)
        self.assertEqual(crossing["pp"], 4)
        groups = {axis["axis"]: axis["groups"] for axis in axes}
        self.assertEqual(groups["pp"][1], {"ranks": [1, 5, 9, 13], "nodes": [0, 1, 2, 3]})

    def test_prints_one_axis_whole(self):
        lines = collbench("layout", "--ranks", "64", "--tp", "2", "--axis", "tp").stdout
        self.assertEqual(lines.count("  ranks "), 32)
        overview = collbench("layout", "--ranks", "64", "--tp", "2").stdout
        self.assertIn("and 24 more: --axis tp prints them", overview)

    def test_refuses_what_cannot_be(self):
        self.assert_refused(collbench("layout", "--ranks", "16", "--tp", "3"), "does not divide")
        self.assert_refused(collbench("layout", "--model", "deepseek-v3", "--pp", "2"),
                            "--stage-layers")


class Traffic(ModelTools):
    def test_says_what_each_scheme_sends(self):
        schemes = self.json_of("traffic", "--model", "llama3-8b", "--dp", "8")["schemes"]
        sent = {scheme["scheme"]: sum(v["sent_bytes"] for v in scheme["volumes"])
                for scheme in schemes}
        parameters = 8030261248
        self.assertEqual(sent["ddp"], 2 * 7 * parameters * 4 // 8)
        self.assertEqual(sent["megatron-distributed"], 7 * parameters * 6 // 8)
        self.assertEqual(sent["tp-megatron"], 0)
        text = collbench("traffic", "--model", "llama3-8b", "--dp", "8").stdout
        self.assertIn("56211.829", text)

    def test_says_why_it_does_not_know(self):
        schemes = self.json_of("traffic", "--model", "deepseek-v3", "--tp", "2")["schemes"]
        reasons = {scheme["scheme"]: scheme.get("reason", "") for scheme in schemes}
        self.assertIn("latent attention", reasons["tp-dtensor"])
        self.assertEqual(reasons["tp-megatron"], "")
        self.assertEqual(reasons["ddp"], "")


class Routing(ModelTools):
    LAYER = ("routing", "--model", "deepseek-v3", "--ep", "8", "--dp", "8")

    def ways_of(self, *flags):
        ways = self.json_of(*self.LAYER, *flags)["ways"]
        return {way["way"]: way for way in ways}

    def test_counts_what_goes_in_each_way(self):
        copies = self.ways_of()["alltoall"]
        self.assertEqual(copies["bus_bytes_per_rank"], 4096 * 8 * 7 / 8 * 7168 * 2)
        self.assertEqual(copies["float8_bus_bytes_per_rank"], 4096 * 8 * 7 / 8 * 7392)
        ways = self.ways_of("--routing", "uniform,groups:1/1", "--ranks-per-node", "4")
        self.assertAlmostEqual(ways["per_rank"]["logical_bytes_per_rank"] / (4096 * 5.295 * 7168 * 2), 1, delta=0.01)
        for way in ways.values():
            expected = way["expected_moved_rows_per_rank"]
            self.assertAlmostEqual(way["moved_rows_per_rank"] / expected, 1, delta=0.01)
        text = collbench(*self.LAYER).stdout
        self.assertIn("411.042", text)

    def test_levels_the_load(self):
        result = self.json_of(*self.LAYER, "--routing", "zipf:0.5", "--balance", "50", "--sequence", "1024")
        unevenness = [step["max_violation"] for step in result["balancing"]]
        self.assertEqual(len(unevenness), 51)
        self.assertEqual(unevenness[0], result["imbalance"]["max_violation"])
        self.assertLess(unevenness[50], unevenness[0] / 5)

    def test_reads_the_trace_that_it_writes(self):
        flags = (*self.LAYER, "--sequence", "256", "--routing")
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "trace"
            trace.write_text(collbench(*flags, "zipf:1", "--format", "trace").stdout)
            drawn, traced = (self.json_of(*flags, words) for words in ("zipf:1", f"file:{trace}"))
            self.assert_refused(collbench(*self.LAYER, "--routing", f"file:{trace}"),
                                "traced with 256 tokens of a rank, and here there are 4096")
        self.assertEqual(traced["rows_by_expert"], drawn["rows_by_expert"])
        self.assertEqual(sum(drawn["rows_by_expert"]), 8 * 256 * 8)
        self.assertIn("file:trace ", traced["routing"])

    def test_writes_a_matrix_of_bytes(self):
        lines = collbench(*self.LAYER, "--format", "matrix").stdout.splitlines()
        self.assertEqual(lines, [" ".join([str(4096 * 7168 * 2)] * 8)] * 8)


if __name__ == "__main__":
    unittest.main()
