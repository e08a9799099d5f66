#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# A benchmark against itself: how often `collbench ab` sees a regression where there is none.
"""Ten times five launches each, in turns. Prints the verdict of each, and fails where more than one is a regression."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import launch  # noqa: E402

REPEATS = 10
MOST_REGRESSIONS = 1


def verdict():
    command = launch.mpirun(2, launch.program_path("all_reduce_perf"), "-b", "8", "-e", "1M", "-f", "16", "--samples",
                            "20", "-c", "0")
    ended = subprocess.run([launch.program_path("collbench"), "ab", "--runs", "5", "--format", "json", "--", *command,
                            "--", *command], env=launch.environment(), capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 1, 6):
        sys.exit(ended.stderr)
    return json.loads(ended.stdout)["verdict"]


def main():
    verdicts = []
    for number in range(REPEATS):
        verdicts.append(verdict())
        print(f"  {number + 1}: {verdicts[-1]}", flush=True)
    regressions = sum(v in ("regression", "mixed") for v in verdicts)
    print(f"{regressions} of {REPEATS} comparisons of a benchmark with itself are a regression, at most "
          f"{MOST_REGRESSIONS} may be")
    return regressions > MOST_REGRESSIONS


if __name__ == "__main__":
    sys.exit(main())
