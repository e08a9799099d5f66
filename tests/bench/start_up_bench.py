#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# What the plugin for GPUs costs a run on hosts before it starts: it is opened, and says that there is no GPU.
"""Usage: tests/bench/start_up_bench.py [LAUNCHES]     default: 41

Launches of one operation on 2 ranks, of the program beside its plugin and of a copy that finds none, take turns. Prints
the ratio of the medians of their whole times; status 1 when it is above its limit.
Environment: COLLBENCH_BUILD.
"""

import pathlib
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import backends  # noqa: E402
import launch  # noqa: E402

MOST_RATIO = 1.05


def launch_s(program):
    start_s = time.monotonic()
    result = launch.run_ranks(2, program, "-b", "8", "-e", "8", "-n", "1", "-w", "0", "-c", "0")
    if result.returncode != 0 or "# backend mpi" not in result.stdout:
        sys.exit(f"start-up: no run on hosts\n{result.output}")
    return time.monotonic() - start_s


def main(launches):
    if not backends.has_nccl(launch.BUILD):
        print("no plugin, so there is nothing to measure")
        return 0
    with_s, without_s = [], []
    with tempfile.TemporaryDirectory() as folder:
        beside = launch.program_path("all_reduce_perf")
        alone = shutil.copy(beside, folder)
        for _ in range(launches):
            with_s.append(launch_s(beside))
            without_s.append(launch_s(alone))
    ratio = statistics.median(with_s) / statistics.median(without_s)
    print(f"start-up with the plugin {statistics.median(with_s) * 1e3:.0f} ms, without {statistics.median(without_s) * 1e3:.0f} ms,"
          f" ratio {ratio:.3f} (limit {MOST_RATIO})")
    return 0 if ratio <= MOST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 41))
