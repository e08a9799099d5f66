# SPDX-License-Identifier: Apache-2.0
# Training steps in which a bias of each expert levels their loads, on every backend.

import unittest

import launch
from measured_runs import ClockedRuns, Runs, on_the_clock
from schema_test import problems


class Levelled(Runs):
    def test_a_bias_levels_loads_from_step_to_step(self):
        result, document = self.measure("expert_parallel_perf", 2, "--model", "tiny-moe", "--ep", 2, "--layers", 2,
                                        "--routing", "zipf:2,seed:3", "--balance", "bias", "--balance-steps", 12,
                                        "--bias-update-rate", 0.25, "--compute", "none", "--steps", 2, "-w", 0)
        self.assertEqual(problems(document), [])
        step, = document["steps"]
        chosen = {"balance": "bias", "balance_steps": "12", "bias_update_rate": "0.25"}
        self.assertEqual(step["scheme"] | chosen, step["scheme"])
        balancing = step["balancing"]
        self.assertEqual([each["number"] for each in balancing], list(range(1, 13)))
        self.assertEqual([each["step"]["time_us"]["n"] for each in balancing], [2] * 12)
        for load in ("expert_max_over_mean", "rank_max_over_mean"):
            self.assertLess(balancing[-1][load], balancing[5][load])
            self.assertLess(balancing[5][load], balancing[0][load])
        # All else is of the last step, and the loads that ranks add up are a part of it.
        self.assertEqual(step["sent_bytes"], balancing[-1]["sent_bytes"])
        self.assertEqual(step["check"]["wrong_elements"], 0)
        loads, = (message for message in step["messages"] if message["axis"] == "tp_dp_cp")
        self.assertEqual((loads["operation"], loads["type"], loads["per_step"]), ("all_reduce", "float", 1))
        self.assertIn("# loads of experts, which a bias levels: the largest over the mean\n", result.stdout)
        # The same loads without measuring, and so on every rank and every machine.
        shown = launch.run_program("expert_parallel_perf", "--model", "tiny-moe", "--ep", 2, "--ranks", 2, "--layers", 2,
                                   "--routing", "zipf:2,seed:3", "--balance", "bias", "--balance-steps", 12,
                                   "--bias-update-rate", 0.25, "--predict")
        for each in balancing:
            self.assertRegex(shown.stdout, rf"\n +{each['number']} +{each['expert_max_over_mean']:.3f} "
                                           rf"+{each['rank_max_over_mean']:.3f} +{each['sent_bytes']} ")


@on_the_clock
class OnTheVirtualClock(ClockedRuns):
    def test_levelled_steps_take_as_long_as_predicted_and_ever_less(self):
        step = self.step("expert_parallel_perf", 2, "--model", "tiny-moe", "--ep", 2, "--routing", "zipf:2,seed:3",
                         "--balance", "bias", "--balance-steps", 9, "--bias-update-rate", 0.25, tflops=4)
        times = [each["step"]["time_us"]["median"] for each in step["balancing"]]
        for each, time_us in zip(step["balancing"], times):
            self.assertAlmostEqual(each["predicted_step_us"] / time_us, 1, delta=0.01, msg=each)
        self.assertLess(times[4], times[0])
        self.assertLess(times[8], times[4])
        self.assertAlmostEqual(times[-1], step["times"]["step"]["time_us"]["median"], delta=0.001 * times[-1])


if __name__ == "__main__":
    unittest.main()
