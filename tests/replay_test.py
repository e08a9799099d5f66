# SPDX-License-Identifier: Apache-2.0
# Steps that are really run, on every backend: every scheme and variant puts every value where it belongs, and asks the
# library for what its plan says.

import json
import pathlib
import re
import tempfile
import unittest

import backends
import launch
import operation_log

QUICK = ("--model", "tiny", "--layers", 2, "--sequence", 64, "--shrink", 4, "--compute", "none", "--steps", 1,
         "-w", 0, "--step-only")


def with_each(program, ranks, flags, variants):
    return [(program, count, (*flags, *variant)) for count in ranks for variant in variants]


# (program, ranks, flags): each scheme and variant with each number of ranks that it can have.
STEPS = [
    *(step for buckets in ("ddp", "megatron", "single")
      for step in with_each("data_parallel_perf", (2, 3, 4), ("--buckets", buckets), ((), ("--no-overlap",)))),
    *(step for zero, variants in (
        ("deepspeed1", ((), ("--reduce-to-owners",))),
        ("deepspeed2", ((), ("--reduce-to-owners",))),
        ("deepspeed3", ((), ("--no-prefetch",), ("--persistent-elements", 0))),
        ("megatron", ((), ("--gather-at-end",), ("--no-overlap",))),
        ("fsdp2", ((), ("--no-prefetch",), ("--no-reshard",), ("--no-overlap",))),
        ("zeropp", ((),)))
      for step in with_each("zero_perf", (2, 3, 4), ("--zero", zero), variants)),
    *with_each("zero_perf", (4,), ("--replicas", 2),
               (("--zero", "fsdp2"), ("--zero", "fsdp2", "--reshard-in-groups"), ("--zero", "megatron"),
                ("--zero", "zeropp"))),
    *(step for ranks, tp in ((2, 2), (4, 2), (4, 4))
      for step in with_each("tensor_parallel_perf", (ranks,), ("--tp", tp),
                            ((), ("--tensor", "dtensor"), ("--no-sequence-parallel",), ("--fused-loss",),
                             ("--recompute", "full")))),
    *with_each("pipeline_parallel_perf", (2, 4), ("--pp", 2, "--micro-batches", 4),
               (("--schedule", "gpipe"), ("--schedule", "1f1b"), ("--schedule", "1f1b", "--messages", "pairs"),
                ("--schedule", "interleaved", "--layers", 4, "--vpp", 2), ("--schedule", "zb-h1"))),
    ("pipeline_parallel_perf", 4, ("--pp", 4, "--micro-batches", 4, "--layers", 4)),
    ("zero_perf", 4, ("--tp", 2)),
    ("zero_perf", 4, ("--pp", 2, "--micro-batches", 2, "--no-reshard")),
    ("tensor_parallel_perf", 4, ("--tp", 2, "--pp", 2, "--micro-batches", 2)),
]


def chosen(steps):
    """Those of as many ranks as are allowed here; a later flag replaces an earlier one. One of three where only the
    place of ranks is another (GPUs by process), or everything takes long (sanitizers)."""
    few = backends.name() == "nccl" or launch.sanitized()
    for program, ranks, flags in steps[::3] if few else steps:
        if ranks in launch.rank_counts():
            own = {flag for flag in flags if str(flag).startswith("--")}
            quick = list(QUICK)
            for flag in own & {"--layers"}:
                at = quick.index(flag)
                del quick[at:at + 2]
            yield program, ranks, (*quick, *flags)


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="replay-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.files = 0

    def measure(self, program, ranks, *flags, status=0, env=None):
        """(what the run said, its file)"""
        self.files += 1
        path = self.folder / f"{self.files}.json"
        result = launch.run_ranks(ranks, program, *flags, "-J", path, env=env)
        self.assertEqual(result.returncode, status, f"{program} {flags}\n{result.output}")
        return result, json.loads(path.read_text()) if path.exists() else None


# ---- what the plan says

SIZES = {"int8": 1, "uint8": 1, "half": 2, "bfloat16": 2, "float": 4}
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
# What counts a block of each rank, where the message is all of them.
BLOCKS = ("all_gather", "reduce_scatter", "alltoall")
MESSAGE = re.compile(r"(\w+) (\w+(?: pair)?)(?:(?:->|<-)(\d+))? ([\d.]+) (B|KiB|MiB|GiB) (\w+)(?: (sum|max))?")


def planned(program, ranks, flags):
    """{first rank of a class: its groups of (operation, axis, bytes, type)}, as --dry-run --operations lists them."""
    shown = launch.run_program(program, *flags, "--ranks", ranks, "--dry-run", "--operations")
    classes, current = {}, None
    for line in shown.stdout.split("# sound:")[1].splitlines():
        head = re.match(r"# .*: \d+ ranks? from rank (\d+), ", line)
        if head:
            current = classes.setdefault(int(head[1]), [])
        elif re.match(r" +\d+  ", line):
            # Two ranks of a pair have a communicator of their own.
            what = line[29:].split("  [")[0]
            messages = [(m[1], m[2] + (m[3] if "pair" in m[2] else ""), float(m[4]) * UNITS[m[5]], m[6])
                        for m in MESSAGE.finditer(what) if m[6] in SIZES]
            if messages and "compute" not in line[29:38]:
                current.append(messages)
    return classes


def issued(groups):
    """The log of a rank in the same form, with the communicator for the axis."""
    types = {"uint16": "bfloat16"} if backends.name() == "mpi" else {}
    form = []
    for group in operation_log.without_alignment(groups):
        if group and backends.name() != "mpi":
            group = whole_alltoall(group)
        form.append([(op.op, op.communicator,
                      op.count * SIZES[types.get(op.type, op.type)] * (len(op.ranks) if op.op in BLOCKS else 1),
                      types.get(op.type, op.type)) for op in group])
    return form


def whole_alltoall(group):
    """NCCL has an all-to-all as a send to each rank and a receive from each."""
    ranks = len(group[0].ranks)
    if len(group) != 2 * ranks or {op.op for op in group} != {"send", "recv"}:
        return group
    return [operation_log.replace(group[0], op="alltoall")]


class Replay(Runs):
    def test_every_scheme_moves_every_value_to_its_place_as_its_plan_says(self):
        for program, ranks, flags in chosen(STEPS):
            with self.subTest(program, ranks=ranks, flags=flags[11:]):
                logs = self.folder / f"log{self.files}"
                logs.mkdir()
                _, document = self.measure(program, ranks, *flags, env=operation_log.variables(logs))
                step, = document["steps"]
                self.assertEqual(step["status"], "ok", step.get("reason"))
                self.assertGreater(step["check"]["checked_elements"], 0)
                self.assertEqual(step["check"]["wrong_elements"], 0)
                log = operation_log.read(logs)
                plans = planned(program, ranks, flags)
                self.assertGreater(sum(map(len, plans.values())), 0)
                for rank, plan in plans.items():
                    self.same(plan + plan, issued(log[rank]))  # the step, and the one that is checked

    def same(self, plan, log):
        """In the order of each communicator; on GPUs in the order of the host's issue over all of them."""
        by_axis, by_communicator = {}, {}
        for groups, messages_of in ((plan, by_axis), (log, by_communicator)):
            for group in groups:
                for message in group:
                    messages_of.setdefault(message[1], []).append(message)
        self.assertEqual(len(by_axis), len(by_communicator))
        for axis, communicator in zip(by_axis, by_communicator):
            self.equal(by_axis[axis], by_communicator[communicator])
        if backends.name() != "mpi":
            self.assertEqual(len(plan), len(log))
            self.equal([m for group in plan for m in group], [m for group in log for m in group])

    def equal(self, planned_messages, logged):
        self.assertEqual([(op, type_) for op, _, _, type_ in planned_messages],
                         [(op, type_) for op, _, _, type_ in logged])
        for (_, _, rounded, _), (_, _, exact, _) in zip(planned_messages, logged):
            self.assertAlmostEqual(rounded / exact, 1, delta=1e-3)


class WhatARunTells(Runs):
    def test_scaling_has_a_base_without_communication(self):
        result, document = self.measure("data_parallel_perf", 2, "--model", "tiny", "--layers", 1, "--compute", "none",
                                        "--scale", "1,2", "--steps", 3, "-w", 0)
        self.assertEqual([step["ranks"] for step in document["steps"]], [1, 2])
        self.assertEqual([point["ranks"] for point in document["scaling"]["points"]], [1, 2])
        self.assertEqual(document["scaling"]["points"][0]["efficiency"], 1)
        self.assertIn("efficiency", result.stdout)
        # The rule that steps are sampled by, which is not that of sweeps.
        sampling = document["config"]["sampling"]
        self.assertEqual((sampling["fixed_samples"], sampling["min_samples"], sampling["block_us"]), (3, 10, 0))

    def test_a_trace_of_what_was_measured(self):
        trace = self.folder / "trace.json"
        self.measure("zero_perf", 2, "--model", "tiny", "--layers", 1, "--compute", "none", "--steps", 2,
                     "--trace", trace)
        events = [e for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
        self.assertTrue(events)
        self.assertTrue(all(e["dur"] >= 0 for e in events))

    def test_what_does_not_fit_is_refused_with_its_bytes(self):
        result, document = self.measure("data_parallel_perf", 2, "--model", "llama3-405b", "--compute", "none",
                                        status=2)
        self.assertEqual((document["run"]["status"], document["run"]["exit_status"], document.get("steps")),
                         ("error", 2, None))
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertRegex(result.stderr, r"needs \d+ bytes \(.*\) for what this step communicates, and can have .*; "
                                        r"give --layers N or --shrink F, or more ranks")


@unittest.skipUnless(backends.name() == "nccl-threads", "of the fakes' virtual clock, once")
@unittest.skipIf(launch.sanitized(), "too slow under sanitizers")
class OnTheVirtualClock(Runs):
    """The fakes take a latency and a bandwidth for an operation and share no links: a prediction with these is what the
    clock must say."""

    CLOCK = {"FAKE_CUDA_VTIME": "1", "FAKE_NCCL_LATENCY_US": "10", "FAKE_NCCL_GBps": "100"}

    def step(self, program, ranks, *flags, tflops=40):
        links = self.folder / "links.txt"
        links.write_text("".join(f"{operation} ranks {ranks} nodes 1 from_bytes 0 latency_us 10 bandwidth_GBps 100\n"
                                 for operation in ("all_reduce", "all_gather", "reduce_scatter", "reduce", "alltoall",
                                                   "sendrecv")))
        _, document = self.measure(program, ranks, "--model", "tiny", "--compute", "busy", "--tflops", tflops,
                                   "--links", links, "--own-links", "--steps", 3, *flags, env=self.CLOCK)
        return document["steps"][0]

    def test_steps_take_as_long_as_predicted(self):
        for program, flags in (("data_parallel_perf", ()), ("data_parallel_perf", ("--no-overlap",)), ("zero_perf", ()),
                               ("zero_perf", ("--no-overlap", "--no-prefetch")), ("zero_perf", ("--zero", "megatron")),
                               ("zero_perf", ("--zero", "deepspeed3")), ("tensor_parallel_perf", ("--tp", 2)),
                               ("pipeline_parallel_perf", ("--pp", 2, "--micro-batches", 4)),
                               ("pipeline_parallel_perf", ("--pp", 2, "--micro-batches", 4, "--schedule", "zb-h1"))):
            with self.subTest(program, flags=flags):
                step = self.step(program, 2, *flags)
                self.assertLess(abs(step["derived"]["prediction_error"]), 0.01, step["prediction"])

    def test_overlap_hides_what_it_is_predicted_to_hide(self):
        exposed = {}
        for flags in ((), ("--no-overlap", "--no-prefetch")):
            step = self.step("zero_perf", 2, *flags, tflops=1)
            exposed[flags] = step["derived"]["exposed_us"]
        self.assertLess(exposed[()], exposed["--no-overlap", "--no-prefetch"] / 2)

    def test_wrong_data_is_found(self):
        env = {"FAKE_NCCL_FAULTS": "AllReduce#2@1=corrupt"}
        _, document = self.measure("data_parallel_perf", 2, *QUICK, "--buckets", "single", status=4, env=env)
        step, = document["steps"]
        self.assertEqual(step["status"], "wrong")
        self.assertRegex(step["reason"], "^[1-9][0-9]* wrong of .* elements, the first: rank 1, byte .* expected")


if __name__ == "__main__":
    unittest.main()
