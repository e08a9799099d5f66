#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Measures an 8-byte all_reduce of 4 and 8 ranks with the wait policy chosen for them and with polling.
"""Usage: tests/bench/wait_policy_bench.py [LAUNCHES]     (5; `make bench` builds first)

The limits hold for 2 cores that nothing else uses: another process that computes keeps a core for
milliseconds each time a rank yields. Status 1 when a median over the launches is above its limit.
"""

import json
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import launch  # noqa: E402

LIMITS_US = {4: 100, 8: 500}  # by ranks
OPERATIONS = {"auto": 500, "spin": 20}  # polling takes milliseconds each
POLLING_LAUNCHES = 1  # for comparison only


def time_us(ranks, policy, path):
    command = launch.mpirun(
        ranks, launch.program_path("all_reduce_perf"), "-b", 8, "-e", 8, "-n", OPERATIONS[policy],
        "-w", 10, "--wait", policy, "-J", path, "--force")
    with launch.start(*command) as running:
        result = running.wait()
    if result.returncode != 0 or result.timed_out:
        sys.exit(f"wait policy: a launch failed with status {result.returncode}\n{result.output}")
    rows = json.loads(path.read_text())["rows"]
    return next(row["time_us"]["median"] for row in rows if not row["in_place"])


def main(launches):
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.json"
        for ranks, limit_us in LIMITS_US.items():
            chosen = [time_us(ranks, "auto", path) for _ in range(launches)]
            polling = statistics.median(
                time_us(ranks, "spin", path) for _ in range(POLLING_LAUNCHES))
            median = statistics.median(chosen)
            verdict = "ok" if median <= limit_us else "TOO SLOW"
            print(f"{ranks} ranks   --wait auto median {median:8.1f} us   range {min(chosen):.1f} .. "
                  f"{max(chosen):.1f}   limit {limit_us}   {verdict}      (--wait spin {polling:.0f} us)")
            status |= median > limit_us
    return int(status)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
