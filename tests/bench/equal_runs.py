# SPDX-License-Identifier: Apache-2.0
# Whether equal launches of one benchmark agree: a launch's intervals against how the others' medians spread.
"""disagreements(launches) -> [Disagreement, ...], the worst first

A row's interval holds what one launch knows. Launches differ by more than that (memory placement, neighbours,
clocks), so that a launch is called different only where its whole interval lies outside the range in which the other
launches' medians predict one more: t s sqrt(1 + 1/n) around their mean, s being the standard deviation of these n.
t is that of a chance of 5 % in all rows and launches together (Bonferroni), so that equal launches of a whole
table are called different once in 20 times.
"""

import math
import statistics
from dataclasses import dataclass

CHANCE = 0.05
LEAST_LAUNCHES = 4  # the spread of fewer than three others says nothing


@dataclass
class Disagreement:
    """`ratio`: how far the launch's interval is from the others' mean, over how far it may be; above 1 it disagrees."""

    row: int
    launch: int
    ratio: float


def student_tail(t, freedom):
    """P(T > t) for t >= 0, by Simpson's rule over the angle u of T = sqrt(freedom) tan(u)."""
    start, steps = math.atan(t / math.sqrt(freedom)), 400
    width = (math.pi / 2 - start) / steps
    ends = math.cos(start) ** (freedom - 1) + (1 if freedom == 1 else 0)
    inner = sum((4 if i % 2 else 2) * math.cos(start + i * width) ** (freedom - 1) for i in range(1, steps))
    norm = math.gamma((freedom + 1) / 2) / math.gamma(freedom / 2) / math.sqrt(math.pi)
    return norm * (ends + inner) * width / 3


def student_quantile(tail, freedom):
    """t with P(T > t) = tail."""
    low, high = 0.0, 1.0
    while student_tail(high, freedom) > tail:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, freedom) > tail else (low, middle)
    return high


def distance(interval, value):
    low, high = interval
    return max(low - value, value - high, 0)


def disagreements(launches):
    """Of [launch][row] = (median, (low, high)): the launch of each row that fits worst, the worst rows first."""
    count = len(launches)
    if count < LEAST_LAUNCHES:
        raise ValueError(f"{count} launches say nothing about their spread; take at least {LEAST_LAUNCHES}")
    rows = list(zip(*launches))
    t = student_quantile(CHANCE / 2 / count / len(rows), count - 2)
    worst = []
    for index, row in enumerate(rows):
        found = []
        for launch, (_, interval) in enumerate(row):
            others = [median for other, (median, _) in enumerate(row) if other != launch]
            allowed = t * statistics.stdev(others) * math.sqrt(1 + 1 / len(others))
            apart = distance(interval, statistics.mean(others))
            found.append(Disagreement(index, launch, apart / allowed if allowed > 0 else math.inf if apart > 0 else 0))
        worst.append(max(found, key=lambda one: one.ratio))
    return sorted(worst, key=lambda one: -one.ratio)
