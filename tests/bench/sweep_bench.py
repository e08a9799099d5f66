#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# What a default sweep costs, how precise it is, and whether equal launches agree.
"""Usage: tests/bench/sweep_bench.py [LAUNCHES]          default: 3
       tests/bench/sweep_bench.py --equal [LAUNCHES]  default: 10

Each launch measures all_reduce from 8 B to 64 MiB on 2 ranks, both placements, without the data check, by the
default stop rule.

Without --equal, each is followed by one with fixed counts of operations, 1000 up to 8 KiB and 100 above, of which one
placement counts. Prints the median ratio of their times, and how many of the 48 rows are known to 1 %; status
1 when the ratio is above its limit, or fewer rows than wanted are known.

With --equal, prints the rows in which one launch's interval lies furthest from the others, over how far their own
spread explains (equal_runs.py); status 1 when any is further than that.
Environment: COLLBENCH_BUILD.
"""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import equal_runs  # noqa: E402
import launch  # noqa: E402

RANKS = 2
LARGEST = "64M"
MOST_RATIO = 1.1
PRECISE_ROWS, PRECISE = 43, 0.01
WORST = 8  # rows that --equal prints
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


def interval(row):
    return tuple(row["time_us"].get("ci95", (0, float("inf"))))


def half_width(row):
    low, high = interval(row)
    return (high - low) / 2 / row["time_us"]["median"]


def cost_and_precision(launches, folder):
    """The status."""
    ratios, precise = [], []
    overhead_s = start_up_s(folder)
    for _ in range(launches):
        default_s, document = run(folder, "-b", "8", "-e", LARGEST)
        fixed = fixed_s(folder)
        rows = document["rows"]
        ratios.append((default_s - overhead_s) / fixed)
        precise.append(sum(half_width(row) <= PRECISE for row in rows))
        print(f"default {default_s - overhead_s:.1f} s, fixed {fixed:.1f} s, ratio {ratios[-1]:.2f}; "
              f"{precise[-1]} of {len(rows)} rows known to 1 %", flush=True)
    print(f"median ratio {statistics.median(ratios):.2f} (limit {MOST_RATIO}), "
          f"rows known to 1 %: {statistics.median(precise):.0f} (wanted {PRECISE_ROWS})")
    return 0 if statistics.median(ratios) <= MOST_RATIO and statistics.median(precise) >= PRECISE_ROWS else 1


def describe(one, documents):
    """A line about a row and its launch that fits worst."""
    of_row = [rows[one.row] for rows in documents]
    medians = [row["time_us"]["median"] for row in of_row]
    low, high = interval(of_row[one.launch])
    middle = statistics.median(medians)
    placement = "in place" if of_row[0]["in_place"] else "out of place"
    return (f"{of_row[0]['message_bytes']:>9} B {placement:12}  launch {one.launch + 1}: {low:.2f} to {high:.2f} us; "
            f"all medians: {middle:.2f} us, {100 * (min(medians) / middle - 1):+.1f} to "
            f"{100 * (max(medians) / middle - 1):+.1f} %; {one.ratio:.2f} of what is explained")


def equal_launches(launches, folder):
    """The status."""
    documents = []
    for number in range(launches):
        seconds, document = run(folder, "-b", "8", "-e", LARGEST)
        documents.append(document["rows"])
        print(f"launch {number + 1} of {launches}: {seconds:.1f} s", flush=True)
    known = [[(row["time_us"]["median"], interval(row)) for row in rows] for rows in documents]
    found = equal_runs.disagreements(known)
    for one in found[:WORST]:
        print(describe(one, documents))
    disagreeing = sum(one.ratio > 1 for one in found)
    print(f"{launches} equal launches: {disagreeing} of {len(found)} rows disagree")
    return 1 if disagreeing else 0


def parsed():
    parser = argparse.ArgumentParser(usage=__doc__.partition("\n\n")[0].removeprefix("Usage: "))
    parser.add_argument("--equal", action="store_true")
    parser.add_argument("launches", type=int, nargs="?")
    choice = parser.parse_args()
    least = equal_runs.LEAST_LAUNCHES if choice.equal else 1
    if choice.launches is None:
        choice.launches = 10 if choice.equal else 3
    if choice.launches < least:
        parser.error(f"{choice.launches} launches are too few; take at least {least}")
    return choice


def main():
    choice = parsed()
    with tempfile.TemporaryDirectory() as folder:
        return (equal_launches if choice.equal else cost_and_precision)(choice.launches, folder)


if __name__ == "__main__":
    sys.exit(main())
