#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# What a default sweep costs, how precise it is, and whether equal runs agree.
"""Usage: tests/bench/sweep_bench.py [LAUNCHES]     default: 3

Each launch measures all_reduce from 8 B to 64 MiB on 2 ranks, both placements, without the data check: once by the
default stop rule, and once with fixed counts of operations, 1000 up to 8 KiB and 100 above, of which one placement
counts. Prints the median ratio of their times, how many of the 48 rows are known to 1 %, and in how many
rows two launches of the default differ by more than all launches' medians of that row spread.
Status 1 when the ratio is above its limit, or fewer rows than wanted are known.
Environment: COLLBENCH_BUILD.
"""

import json
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import launch  # noqa: E402

RANKS = 2
LARGEST = "64M"
MOST_RATIO = 1.1
PRECISE_ROWS, PRECISE = 43, 0.01
FEW, MANY = ("8", "8K", 1000), ("16K", LARGEST, 100)  # first size, last size, operations of a row


def run(folder, *flags):
    """(seconds of the launch, its document)."""
    path = pathlib.Path(folder) / "run.json"
    start_s = time.monotonic()
    result = launch.run_ranks(RANKS, "all_reduce_perf", "-f", "2", "-c", "0", "-J", path, "--force", *flags,
                              timeout=600)
    if result.returncode != 0:
        sys.exit(result.output)
    return time.monotonic() - start_s, json.loads(path.read_text())


def start_up_s(folder):
    """What every launch takes before and after its rows."""
    return run(folder, "-b", "8", "-e", "8", "-n", "1", "-w", "0")[0]


def fixed_s(folder):
    """One placement of both halves, without start-up; each has a tenth more operations to warm up, as usual."""
    total_s = 0
    for first, last, operations in (FEW, MANY):
        flags = ("-b", first, "-e", last, "-n", str(operations), "-w", str(operations // 10))
        rows = run(folder, *flags)[1]["rows"]
        total_s += sum(row["time_us"]["median"] for row in rows if not row["in_place"]) / 1e6 * operations * 1.1
    return total_s


def half_width(row):
    low, high = row["time_us"].get("ci95", (0, float("inf")))
    return (high - low) / 2 / row["time_us"]["median"]


def disagreeing(launches):
    """Rows of which two launches' intervals lie further apart than the launches' medians spread."""
    count = 0
    for rows in zip(*launches):
        medians = [row["time_us"]["median"] for row in rows]
        intervals = [row["time_us"].get("ci95", (0, float("inf"))) for row in rows]
        gap = max(low for low, _ in intervals) - min(high for _, high in intervals)
        count += gap > 2.77 * statistics.stdev(medians)  # of two normal values, 95 % are nearer
    return count


def main(launches):
    ratios, precise, documents = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        overhead_s = start_up_s(folder)
        for _ in range(launches):
            default_s, document = run(folder, "-b", "8", "-e", LARGEST)
            fixed = fixed_s(folder)
            rows = document["rows"]
            ratios.append((default_s - overhead_s) / fixed)
            precise.append(sum(half_width(row) <= PRECISE for row in rows))
            documents.append(rows)
            print(f"default {default_s - overhead_s:.1f} s, fixed {fixed:.1f} s, ratio {ratios[-1]:.2f}; "
                  f"{precise[-1]} of {len(rows)} rows known to 1 %", flush=True)
    print(f"median ratio {statistics.median(ratios):.2f} (limit {MOST_RATIO}), "
          f"rows known to 1 %: {statistics.median(precise):.0f} (wanted {PRECISE_ROWS}), "
          + (f"rows that disagree: {disagreeing(documents)}" if launches > 1 else ""))
    return 0 if statistics.median(ratios) <= MOST_RATIO and statistics.median(precise) >= PRECISE_ROWS else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
