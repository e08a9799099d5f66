# SPDX-License-Identifier: Apache-2.0
# When equal launches are called different, by launches with known answers.

import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "bench"))
import equal_runs  # noqa: E402

STARTS_NO_RANKS = True


def launches(count, rows, spread, seed):
    """Medians around 1, each in an interval of 1 %."""
    chance = random.Random(seed)
    medians = [[chance.gauss(1, spread) for _ in range(rows)] for _ in range(count)]
    return [[(median, (median * 0.99, median * 1.01)) for median in launch] for launch in medians]


class EqualRuns(unittest.TestCase):
    def test_quantiles_of_students_t_are_those_of_tables(self):
        for tail, freedom, expected in ((0.025, 1, 12.706), (0.025, 8, 2.306), (0.005, 4, 4.604), (0.0005, 8, 5.041)):
            self.assertAlmostEqual(equal_runs.student_quantile(tail, freedom), expected, places=3)

    def test_launches_that_spread_alike_rarely_disagree(self):
        alarms = [equal_runs.disagreements(launches(10, 48, 0.03, seed))[0].ratio > 1 for seed in range(20)]
        self.assertLessEqual(sum(alarms), 2)

    def test_a_launch_far_from_nine_that_agree_is_found(self):
        runs = launches(10, 48, 0.005, 1)
        runs[7][33] = (1.10, (1.09, 1.11))
        worst = equal_runs.disagreements(runs)
        self.assertEqual((worst[0].row, worst[0].launch), (33, 7))
        self.assertGreater(worst[0].ratio, 1)
        self.assertLess(worst[1].ratio, 1)

    def test_an_interval_that_reaches_the_others_does_not_disagree(self):
        runs = launches(10, 2, 0.005, 2)
        runs[3][1] = (1.10, (1.0, 1.2))
        self.assertLess(equal_runs.disagreements(runs)[0].ratio, 1)

    def test_too_few_launches_are_refused(self):
        with self.assertRaisesRegex(ValueError, "at least 4"):
            equal_runs.disagreements(launches(3, 2, 0.01, 3))


if __name__ == "__main__":
    unittest.main()
