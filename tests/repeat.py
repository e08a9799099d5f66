#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Repeats suites, to find what fails now and then: `make soak` repeats those of the nccl backend on its fakes.
"""Usage: tests/repeat.py TIMES NAME     NAME selects suites, as for tests/run.py

Prints the output of each round that fails, and what a round leaves in /dev/shm; the last line says how many rounds of
how many went well. Environment as for tests/run.py. Status 1 when a round has failed.
"""

import subprocess
import sys
import time

import backends
import launch
from nccl_runs import left_behind, shared_memory


def round_fault(name):
    """What went wrong in one round; empty when nothing did."""
    before = shared_memory()
    runner = launch.ROOT / "tests" / "run.py"
    done = subprocess.run([sys.executable, runner, name], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    left = left_behind(before)
    fault = done.stdout if done.returncode != 0 else ""
    return fault + (f"left in /dev/shm: {', '.join(sorted(left))}\n" if left else "")


def main(times, name):
    if "nccl" in name and not backends.has_nccl(launch.BUILD):
        print("soak: there is no nccl backend to test: CUDA's compiler and nccl.h are missing", file=sys.stderr)
        return 2
    good = 0
    for number in range(1, times + 1):
        start_s = time.monotonic()
        fault = round_fault(name)
        good += not fault
        print(f"{fault}round {number}: {'FAILED' if fault else 'passed'}, {time.monotonic() - start_s:.0f} s", flush=True)
    print(f"{good} of {times}")
    return 0 if good == times else 1


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[1].isdigit() or int(sys.argv[1]) == 0:
        sys.exit(__doc__)
    sys.exit(main(int(sys.argv[1]), sys.argv[2]))
