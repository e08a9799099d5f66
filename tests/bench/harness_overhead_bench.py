#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Measures what the harness adds to an 8-byte all_reduce of 2 ranks over a bare loop of MPI_Allreduce.
"""Usage: tests/bench/harness_overhead_bench.py [LAUNCHES]     (11; `make bench` builds first)

Launches of the two programs alternate, so that a drift of the machine hits both; the medians over the
launches are compared. Blocks are long, so that a block's start and end do not count. Status 1 when the
ratio is above the limit.
"""

import json
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import launch  # noqa: E402

RANKS = 2
OPERATIONS = 200_000
RATIO_LIMIT = 1.03


def succeeded(result):
    if result.returncode != 0 or result.timed_out:
        sys.exit(f"harness overhead: a launch failed with status {result.returncode}\n{result.output}")
    return result


def bare_us():
    program = launch.BUILD / "bench" / "bare_all_reduce"
    return float(succeeded(launch.run_ranks(RANKS, program, OPERATIONS)).stdout)


def harness_us(folder):
    path = pathlib.Path(folder) / "run.json"
    succeeded(launch.run_ranks(
        RANKS, "all_reduce_perf", "-b", 8, "-e", 8, "-n", OPERATIONS, "-w", OPERATIONS // 10,
        "-J", path, "--force"))
    rows = json.loads(path.read_text())["rows"]
    return next(row["time_us"]["median"] for row in rows if not row["in_place"])


def main(launches):
    bare, harness = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(launches):
            bare.append(bare_us())
            harness.append(harness_us(folder))
    ratio = statistics.median(harness) / statistics.median(bare)
    for name, times in (("bare MPI_Allreduce", bare), ("all_reduce_perf", harness)):
        print(f"{name:20} median {statistics.median(times):8.3f} us"
              f"   range {min(times):.3f} .. {max(times):.3f}   launches {launches}")
    verdict = "ok" if ratio <= RATIO_LIMIT else "TOO SLOW"
    print(f"harness overhead     ratio  {ratio:8.3f}      limit {RATIO_LIMIT}   {verdict}")
    return 0 if ratio <= RATIO_LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 11))
