# SPDX-License-Identifier: Apache-2.0
# The binaries of parallel_patterns/: plans shown, predicted and drawn, alone and under mpirun.

import json
import pathlib
import re
import tempfile
import unittest

import launch

# Bytes that a rank sends in one step, worked out by hand from the scheme's formula.
PSI_8B = 8030261248  # parameters of Llama 3 8B
LAYERS_8B = 32 * 218112000
SENT = [
    # 2 (n-1)/n Psi * 4
    (("data_parallel_perf",), 2 * 7 * PSI_8B * 4 // 8),
    # (n-1)/n Psi * (4 + 2); no shard of this model is padded
    (("zero_perf", "--zero", "megatron"), 7 * PSI_8B * 6 // 8),
    # layers gathered twice, the root once, in 2 bytes; all reduced in 4
    (("zero_perf", "--zero", "fsdp2"), 7 * ((PSI_8B + LAYERS_8B) * 2 + PSI_8B * 4) // 8),
    (("zero_perf", "--zero", "fsdp2", "--no-reshard"), 7 * PSI_8B * 6 // 8),
    # an all-reduce and an all-gather in 2 bytes; a reduction's bytes leave every rank but one
    (("zero_perf", "--zero", "deepspeed1"), 3 * 7 * PSI_8B * 2 // 8),
    (("zero_perf", "--zero", "deepspeed1", "--reduce-to-owners"), (8 + 7) * PSI_8B * 2 // 8),
    # gradients as above; 32 layers of 8192 tokens, 8 of 32 heads of 128 for keys and for values, in 2 bytes: 3 times 7
    # hops of an eighth; queries, keys, values and outputs twice
    (("context_parallel_perf", "--cp", "8"), 2 * 7 * PSI_8B * 4 // 8 + 32 * 21 * 8192 // 8 * 2 * 1024 * 2),
    (("context_parallel_perf", "--cp", "8", "--cp-comm-type", "a2a"),
     2 * 7 * PSI_8B * 4 // 8 + 32 * 2 * 7 * 8192 // 8 * (2 * 4096 + 2 * 1024) * 2 // 8),
]


class Patterns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_pattern(self, program, *flags, status=0):
        result = launch.run_program(program, *flags)
        self.assertEqual(result.returncode, status, result.output)
        return result

    def test_bytes_of_a_step(self):
        for (program, *flags), sent in SENT:
            with self.subTest(program=program, flags=flags):
                result = self.run_pattern(
                    program, "--model", "llama3-8b", "--ranks", "8", "--dry-run", *flags)
                self.assertEqual(int(re.search(r"^ +all +(\d+)$", result.stdout, re.M)[1]), sent,
                                 result.stdout)
                self.assertIn("# sound", result.stdout)

    def test_started_ranks_are_the_ranks(self):
        result = launch.run_ranks(
            2, "tensor_parallel_perf", "--model", "tiny", "--tp", "2", "--dry-run", "--operations")
        self.assertEqual(result.returncode, 0, result.output)
        self.assertEqual(result.stdout.count("# tensor_parallel of tiny: 2 ranks"), 1)
        self.assertRegex(result.stdout, r"all_gather tp .*\[F0 layer 0 gather input\]")

    def test_a_cluster_from_one_process(self):
        result = self.run_pattern(
            "pipeline_parallel_perf", "--model", "llama3-405b", "--tp", "8", "--pp", "16", "--ranks",
            "16384", "--order", "llama3", "--stage-layers", "7,14*8,7", "--micro-batches", "16",
            "--dry-run", "--predict")
        self.assertIn("# pp 15: 1024 ranks from rank 120", result.stdout)
        self.assertIn("# tp: shares each layer of a stage; 2048 groups, 0 across nodes\n"
                      "  ranks 0 1 2 3 4 5 6 7          node 0\n", result.stdout)
        self.assertIn("# pp: the stages of one pipeline; 1024 groups, 1024 across nodes\n"
                      "  ranks 0 8 16 ... 120           nodes 0 1 2 ... 15\n", result.stdout)
        self.assertRegex(result.stdout, r"# predicted step [0-9.e+]+ ms: computing .* bubble")

    def test_trace(self):
        trace = self.folder / "step.json"
        flags = ("--model", "tiny", "--pp", "2", "--ranks", "2", "--micro-batches", "4", "--predict",
                 "--trace", trace)
        self.run_pattern("pipeline_parallel_perf", *flags)
        events = json.loads(trace.read_text())["traceEvents"]
        work = [e for e in events if e["ph"] == "X"]
        self.assertEqual({e["pid"] for e in work}, {0, 1})
        self.assertTrue(all(e["dur"] >= 0 and e["ts"] >= 0 for e in work))
        starts = [e["id"] for e in events if e["ph"] == "s"]
        self.assertEqual(len(starts), 8)  # 4 activations, 4 gradients
        self.assertEqual(sorted(starts), sorted(e["id"] for e in events if e["ph"] == "f"))
        # Operations of one stream follow each other.
        for stream in {(e["pid"], e["tid"]) for e in work}:
            own = [e for e in work if (e["pid"], e["tid"]) == stream]
            for before, after in zip(own, own[1:]):
                self.assertGreaterEqual(after["ts"] + 0.002, before["ts"] + before["dur"])
        refused = self.run_pattern("pipeline_parallel_perf", *flags, status=2)
        self.assertIn("the file exists; give --force to replace it", refused.stderr)
        self.run_pattern("pipeline_parallel_perf", *flags, "--force")

    def test_a_trace_that_cannot_be_written_is_refused_first(self):
        flags = ("--model", "tiny", "--dp", "2", "--ranks", "2", "--predict", "--trace")
        for place, why in (("/dev/full", "this is no regular file; choose another name"),
                           (self.folder, "this is a folder; name a file in it"),
                           (self.folder / "no" / "t.json", f"there is no folder {self.folder}/no; "
                                                           "create it first"),
                           ("/proc/t.json", "open failed: .*; choose a file that can be written")):
            with self.subTest(place=place):
                refused = self.run_pattern("data_parallel_perf", *flags, place, "--force", status=2)
                self.assertEqual(refused.stderr.count("\n"), 1)
                self.assertRegex(refused.stderr, why)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_links_are_read_from_a_file(self):
        links = self.folder / "links.txt"
        links.write_text("all_reduce ranks 4 nodes 1 from_bytes 0 latency_us 1000000 bandwidth_GBps 1\n")
        flags = ("--model", "tiny", "--ranks", "4", "--predict", "--buckets", "single")
        result = self.run_pattern("data_parallel_perf", *flags, "--links", links)
        self.assertRegex(result.stdout, r"exposed communication 10\d\d ms")
        self.assertNotIn("not in --links", result.stdout)
        links.write_text("all_reduce ranks many\n")
        refused = self.run_pattern("data_parallel_perf", *flags, "--links", links, status=2)
        self.assertIn(f"{links}:1: ranks must be a number of at least 2, not 'many'", refused.stderr)

    def test_what_links_were_measured_without_is_said(self):
        links = self.folder / "links.txt"
        links.write_text("all_gather ranks 4 nodes 1 from_bytes 0 latency_us 1 bandwidth_GBps 1\n")
        for flags, missing in ((("--ranks", "4"), ["reduce_scatter within a node, which takes what --node-link says"]),
                               (("--ranks", "4", "--pp", "2", "--ranks-per-node", "2", "--micro-batches", "2",
                                 "--no-reshard"),
                                ["reduce_scatter within a node, which takes what --node-link says",
                                 "sendrecv across nodes, which takes what --network-link says"]),
                               (("--ranks", "4", "--ranks-per-node", "2"),
                                ["all_gather across nodes, which takes what --network-link says",
                                 "reduce_scatter across nodes, which takes what --network-link says"])):
            with self.subTest(flags=flags):
                result = self.run_pattern("zero_perf", "--model", "tiny", *flags, "--predict", "--links", links)
                self.assertEqual(re.findall("# not in --links: (.*)", result.stdout), missing, result.stdout)

    def test_a_hybrid_predicts_what_its_axes_cost_each_other(self):
        flags = ("--model", "llama3-8b", "--ranks", 8, "--tp", 2, "--pp", 2, "--micro-batches", 4, "--ranks-per-node", 2,
                 "--predict")
        shared = self.run_pattern("hybrid_parallel_perf", *flags)
        row = re.search(r"\n    pp +[\d.]+ +([\d.]+) +- +([\d.]+) ", shared.stdout)
        self.assertEqual(row[1], "1.00", "tensor parallelism has the links of nodes")
        self.assertGreater(float(row[2]), 1.1, "gradients share those between nodes")
        own = self.run_pattern("hybrid_parallel_perf", *flags, "--own-links")
        self.assertEqual({text for text in re.findall(r" (\d\.\d\d)\b", own.stdout.split("what axes cost")[1])}, {"1.00"})
        self.assertNotIn("what axes cost", self.run_pattern("hybrid_parallel_perf", *flags, "--interference", 0).stdout)
        self.assertIn("what axes cost", self.run_pattern("zero_perf", *flags, "--no-reshard", "--interference", 1).stdout)

    def test_a_hybrid_is_of_two_axes(self):
        for flags in (("--tp", 2), ("--dp", 2)):
            refused = self.run_pattern("hybrid_parallel_perf", "--model", "tiny", "--ranks", 2, *flags, "--predict",
                                       status=2)
            self.assertIn("is of two axes or more, and here ranks differ on one at most", refused.stderr)

    def test_an_axis_on_the_wrong_links_is_named(self):
        flags = ("--model", "llama3-8b", "--ranks", 8, "--tp", 2, "--ranks-per-node", 4, "--micro-batches", 8, "--dry-run")
        self.assertNotIn("misplaced", self.run_pattern("hybrid_parallel_perf", *flags).stdout)
        result = self.run_pattern("hybrid_parallel_perf", *flags, "--order", "dp-tp-cp-ep-pp")
        self.assertIn("# misplaced: tp crosses nodes while ", result.stdout)

    def test_impossible_layouts(self):
        result = self.run_pattern("tensor_parallel_perf", "--model", "llama3-8b", "--tp", "3",
                                  "--ranks", "3", "--dry-run", status=2)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)


if __name__ == "__main__":
    unittest.main()
