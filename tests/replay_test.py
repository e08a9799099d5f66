# SPDX-License-Identifier: Apache-2.0
# Steps that are really run, on every backend: every scheme and variant puts every value where it belongs, and asks the
# library for what its plan says.

import json
import unittest

import backends
import launch
import operation_log
from measured_runs import ClockedRuns, Runs, on_the_clock, with_usual
from planned_operations import issued, planned
from replay_steps import STEPS

QUICK = ("--model", "tiny", "--layers", 2, "--sequence", 64, "--shrink", 4, "--compute", "none", "--steps", 1,
         "-w", 0, "--step-only")


def chosen(steps):
    """Those of as many ranks as are allowed here. One of three where only the
    place of ranks is another (GPUs by process), or everything takes long (sanitizers)."""
    few = backends.name() == "nccl" or launch.sanitized()
    for program, ranks, flags in steps[::3] if few else steps:
        if ranks in launch.rank_counts():
            yield program, ranks, flags, with_usual(QUICK, flags)


class Replay(Runs):
    def test_every_scheme_moves_every_value_to_its_place_as_its_plan_says(self):
        for program, ranks, scheme, flags in chosen(STEPS):
            with self.subTest(program, ranks=ranks, scheme=scheme):
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
                    messages_of.setdefault(message.group, []).append(message)
        self.assertEqual(len(by_axis), len(by_communicator))
        for axis, communicator in zip(by_axis, by_communicator):
            self.equal(by_axis[axis], by_communicator[communicator])
        if backends.name() != "mpi":
            self.assertEqual(len(plan), len(log))
            self.equal([m for group in plan for m in group], [m for group in log for m in group])

    def equal(self, planned_messages, logged):
        self.assertEqual([message.what() for message in planned_messages], [message.what() for message in logged])
        for rounded, exact in zip(planned_messages, logged):
            self.assertAlmostEqual(rounded.size_bytes / exact.size_bytes, 1, delta=1e-3)


class WhatARunTells(Runs):
    def test_scaling_has_a_base_without_communication(self):
        result, document = self.measure("data_parallel_perf", 2, "--model", "tiny", "--layers", 1, "--compute", "none",
                                        "--scale", "1,2", "--steps", 3, "-w", 0, "--trace", self.folder / "step.json")
        self.assertEqual([step["ranks"] for step in document["steps"]], [1, 2])
        scaling = document["scaling"]
        self.assertEqual([(point["degree"], point["ranks"]) for point in scaling["points"]], [(1, 1), (2, 2)])
        self.assertEqual((scaling["axis"], scaling["points"][0]["efficiency"], "left_out" in scaling), ("dp", 1, False))
        self.assertIn("weak scaling over dp; efficiency", result.stdout)
        # Each degree's trace has a file of its own.
        for degree in (1, 2):
            trace = self.folder / f"step.dp{degree}.json"
            self.assertIn(f"# trace in {trace}\n", result.stdout)
            ranks = {e["pid"] for e in json.loads(trace.read_text())["traceEvents"]}
            self.assertEqual(len(ranks), 1, "all ranks of a data-parallel step are of one class")
        rates = [step["tokens"] / step["times"]["step"]["time_us"]["median"] for step in document["steps"]]
        self.assertAlmostEqual(scaling["points"][1]["efficiency"], rates[1] / 2 / rates[0], places=6)
        # The rule that steps are sampled by, which is not that of sweeps.
        sampling = document["config"]["sampling"]
        self.assertEqual((sampling["fixed_samples"], sampling["min_samples"], sampling["block_us"]), (3, 10, 0))

    def test_degrees_that_cannot_be_are_left_out_with_their_reasons(self):
        result, document = self.measure("tensor_parallel_perf", 3, "--model", "tiny", "--layers", 1, "--compute", "none",
                                        "--scale", "tp:1,2,3", "--steps", 2, "-w", 0, "--step-only", "-c", 0)
        self.assertEqual([point["degree"] for point in document["scaling"]["points"]], [1, 2])
        (gap,) = document["scaling"]["left_out"]
        self.assertEqual((gap["degree"], gap["ranks"]), (3, 3))
        self.assertIn(f"# tp 3, 3 ranks: left out: {gap['reason']}\n", result.stdout)

    def test_products_of_the_models_shapes_are_what_computes(self):
        result, document = self.measure("tensor_parallel_perf", 2, "--tp", 2, "--model", "tiny", "--layers", 1,
                                        "--sequence", 32, "--steps", 2, "-w", 1)
        step, = document["steps"]
        self.assertEqual(step["compute"], "gemm")
        self.assertTrue(document["environment"]["libraries"]["gemm"], document["environment"])
        self.assertEqual(set(step["times"]), {"step", "computing", "skeleton", "communication", "latency"})
        # What computing alone took, and what each message took alone, are what the step is predicted by.
        self.assertEqual(step["prediction"]["links"], "messages")
        self.assertAlmostEqual(step["prediction"]["compute_us"] / step["times"]["computing"]["time_us"]["median"], 1,
                               places=6)
        self.assertIn("by its messages alone", result.stdout)

    def test_what_axes_cost_each_other_and_where_they_are(self):
        result, document = self.measure("hybrid_parallel_perf", 4, "--model", "tiny", "--layers", 2, "--sequence", 64,
                                        "--shrink", 8, "--pp", 2, "--micro-batches", 2, "--steps", 2, "-w", 0, "-c", 0,
                                        "--ranks-per-node", 2)
        step, = document["steps"]
        axes = sorted({axis for load in step["axis_loads"] for axis in load["axes"]})
        self.assertEqual(axes, ["dp_shard_cp", "pp"])
        self.assertEqual([load["axes"] for load in step["axis_loads"]],
                         [["pp"], ["dp_shard_cp"], ["pp", "dp_shard_cp"]])
        for load in step["axis_loads"]:
            self.assertEqual([busy["time_us"]["n"] for busy in (*load["busy"], load["step"])],
                             [2] * (len(load["axes"]) + 1))
        self.assertEqual([(cost["axis"], cost["beside"]) for cost in step["axis_costs"]],
                         [("pp", ["dp_shard_cp"]), ("dp_shard_cp", ["pp"])])
        self.assertIn("# what axes cost each other: ", result.stdout)
        # Stages are a node each: their messages cross, and nothing else does.
        self.assertEqual([(axis["axis"], axis["crossing_groups"], axis["crossing_bytes"] > 0)
                          for axis in step["placement"]], [("pp", 2, True), ("dp_shard_cp", 0, False)])
        self.assertIn("# across nodes: pp, 2 of 2 groups of 2: ", result.stdout)

    def test_nothing_is_predicted_from_guesses(self):
        _, document = self.measure("data_parallel_perf", 2, *QUICK)
        self.assertNotIn("prediction", document["steps"][0])

    def test_uneven_messages_are_timed_against_even_ones(self):
        result, document = self.measure("expert_parallel_perf", 2, "--model", "tiny-moe", "--ep", 2, "--layers", 2,
                                        "--routing", "zipf:2,seed:3", "--compute", "none", "--steps", 2, "-w", 0)
        step, = document["steps"]
        chosen = {"routing": "zipf:2,seed:3", "dispatcher": "alltoall", "dispatch_type": "bf16"}
        self.assertEqual(step["scheme"] | chosen, step["scheme"])
        uneven = [message for message in step["messages"] if "uneven" in message]
        self.assertEqual({message["operation"] for message in uneven}, {"alltoallv"})
        self.assertEqual(len(uneven), 2, "tokens, and their probabilities")
        for message in uneven:
            self.assertGreater(message["uneven"]["max_over_mean"], 1)
            self.assertGreater(message["uneven"]["even_time_us"], 0)
        self.assertIn("divided evenly", result.stdout)

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


@on_the_clock
class OnTheVirtualClock(ClockedRuns):
    def test_steps_take_as_long_as_predicted(self):
        for program, flags in (("data_parallel_perf", ()), ("data_parallel_perf", ("--no-overlap",)), ("zero_perf", ()),
                               ("zero_perf", ("--no-overlap", "--no-prefetch")), ("zero_perf", ("--zero", "megatron")),
                               ("zero_perf", ("--zero", "deepspeed3")), ("tensor_parallel_perf", ("--tp", 2)),
                               ("expert_parallel_perf", ("--model", "tiny-moe", "--ep", 2)),
                               ("expert_parallel_perf", ("--model", "tiny-moe", "--ep", 2, "--routing", "zipf:2")),
                               ("expert_parallel_perf", ("--model", "tiny-mla", "--ep", 2)),
                               ("expert_parallel_perf", ("--model", "tiny-mla", "--ep", 2, "--shared-expert-overlap")),
                               ("expert_parallel_perf", ("--model", "tiny-mla", "--ep", 2, "--shared-expert-overlap",
                                                         "--routing", "zipf:2")),
                               ("context_parallel_perf", ("--cp", 2)),
                               ("context_parallel_perf", ("--cp", 2, "--cp-comm-type", "a2a")),
                               ("pipeline_parallel_perf", ("--pp", 2, "--micro-batches", 4)),
                               ("pipeline_parallel_perf", ("--pp", 2, "--micro-batches", 4, "--schedule", "zb-h1"))):
            with self.subTest(program, flags=flags):
                step = self.step(program, 2, *flags)
                derived, predicted = step["derived"], step["prediction"]
                self.assertLess(abs(derived["prediction_error"]), 0.01, predicted)
                for part in ("bubble_us", "exposed_us"):
                    self.assertAlmostEqual(derived[part], predicted[part], delta=0.01 * predicted["step_us"])
                for message in step["messages"]:
                    self.assertAlmostEqual(message["time_us"], 10 + message["message_bytes"] / 100e3,
                                           delta=0.01 * message["time_us"])

    def test_overlap_hides_what_it_is_predicted_to_hide(self):
        exposed = {}
        for flags in ((), ("--no-overlap", "--no-prefetch")):
            step = self.step("zero_perf", 2, *flags, tflops=1)
            exposed[flags] = step["derived"]["exposed_us"]
        self.assertLess(exposed[()], exposed["--no-overlap", "--no-prefetch"] / 2)

    def test_shared_experts_hide_the_way_of_tokens(self):
        steps = [self.step("expert_parallel_perf", 2, "--model", "tiny-mla", "--ep", 2, "--micro-batch", 8, *flags)
                 for flags in ((), ("--shared-expert-overlap",))]
        apart, beside = (step["times"]["step"]["time_us"]["median"] for step in steps)
        saved = steps[0]["prediction"]["step_us"] - steps[1]["prediction"]["step_us"]
        self.assertGreater(saved, 0.02 * apart)
        self.assertAlmostEqual(apart - beside, saved, delta=0.01 * apart)
        self.assertEqual([step["scheme"].get("shared_expert_overlap") for step in steps], [None, "yes"])

    def test_axes_with_links_of_their_own_cost_each_other_nothing(self):
        step = self.step("hybrid_parallel_perf", 4, "--tp", 2, "--layers", 2)
        loads = [load["axes"] for load in step["axis_loads"]]
        self.assertEqual(loads[-1], [axis for load in loads[:-1] if len(load) == 1 for axis in load])
        self.assertTrue(step["axis_costs"])
        for cost in step["axis_costs"]:
            self.assertAlmostEqual(cost["slowdown"], 1, delta=0.01, msg=cost)
            self.assertAlmostEqual(cost["predicted_slowdown"], 1, delta=0.01, msg=cost)

    def test_wrong_data_is_found(self):
        env = {"FAKE_NCCL_FAULTS": "AllReduce#2@1=corrupt"}
        _, document = self.measure("data_parallel_perf", 2, *QUICK, "--buckets", "single", status=4, env=env)
        step, = document["steps"]
        self.assertEqual(step["status"], "wrong")
        self.assertRegex(step["reason"], "^[1-9][0-9]* wrong of .* elements, the first: rank 1, byte .* expected")

    def test_tokens_that_are_miscounted_or_changed_on_their_way_are_found(self):
        for fault, slot in (("AllGather@1", "token counts gathered"), ("Recv@1", "routed tokens arrived")):
            with self.subTest(fault):
                env = {"FAKE_NCCL_FAULTS": f"{fault}=corrupt"}
                flags = with_usual(QUICK, ("--model", "tiny-moe", "--ep", 2, "--routing", "zipf:1"))
                _, document = self.measure("expert_parallel_perf", 2, *flags, status=4, env=env)
                step, = document["steps"]
                self.assertRegex(step["reason"], f"the first: rank 1, byte [0-9]+ of '{slot}' in 'F0 layer 0 experts': ")


if __name__ == "__main__":
    unittest.main()
