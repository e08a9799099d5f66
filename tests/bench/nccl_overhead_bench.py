#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# What the harness and NCCL's interface cost for each operation, without a GPU: on the fakes, which do next to nothing.
"""Usage: tests/bench/nccl_overhead_bench.py [LAUNCHES]     default: 11

Each launch runs 20,000 all_reduce of 8 bytes on one rank, which the calling thread executes itself (FAKE_CUDA_INLINE), so
that the time is that of the host's part. Prints the median over launches of the better placement's time. Where
NCCL_TESTS_BIN names nccl-tests' all_reduce_perf (of any NCCL 2 and CUDA 13), it takes turns with ours on the same fakes,
and the ratio of the medians is printed.
Status 1 when the time is above its limit, or above that of nccl-tests.
Environment: COLLBENCH_BUILD, NCCL_TESTS_BIN.
"""

import os
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import backends  # noqa: E402
import launch  # noqa: E402

MOST_US = 1.5
FLAGS = ("-b", "8", "-e", "8", "-n", "20000", "-w", "1000", "-c", "0")
ROW = re.compile(r"^ +8 +2 +float +sum +-1 +([\d.]+) +\S+ +\S+ +\S+ +([\d.]+)", re.MULTILINE)


def time_us(program, *flags):
    """The better of both placements of a launch."""
    result = launch.run_program(program, *FLAGS, *flags, env=launch.on_fakes({"FAKE_CUDA_INLINE": "1"}))
    row = ROW.search(result.stdout)
    if row is None:
        sys.exit(f"{program}: no row\n{result.output}")
    return min(float(time) for time in row.groups())


def main(launches):
    if not backends.has_nccl(launch.BUILD):
        print("no plugin, so there is nothing to measure")
        return 0
    peer = os.environ.get("NCCL_TESTS_BIN")
    ours_us, peer_us = [], []
    for _ in range(launches):
        ours_us.append(time_us("all_reduce_perf", "--backend", "nccl"))
        if peer:
            peer_us.append(time_us(peer))
    ours = statistics.median(ours_us)
    print(f"8-byte all_reduce on the fakes, 1 rank: {ours:.2f} us (limit {MOST_US}; best {min(ours_us):.2f})")
    if not peer:
        return 0 if ours <= MOST_US else 1
    ratio = ours / statistics.median(peer_us)
    print(f"nccl-tests: {statistics.median(peer_us):.2f} us (best {min(peer_us):.2f}); ours over theirs {ratio:.2f} (limit 1)")
    return 0 if ours <= MOST_US and ratio <= 1 else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 11))
