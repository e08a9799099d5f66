#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# How near the prediction of a step comes to the measured one, on links that were measured on the same machine.
"""Usage: tests/bench/prediction_bench.py [ROUNDS]     default: 5

Steps that only communicate are measured on 2 ranks, in turns: of some sizes also each message alone, which gives a link
model (collbench fit); of others the whole step, to be held against its prediction. Prints each error; status 1 when one
is above its limit. Environment: COLLBENCH_BUILD.
"""

import json
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import launch  # noqa: E402

MOST_ERROR = 0.15
SCHEMES = (("data_parallel_perf", ("--buckets", "single")),
           ("data_parallel_perf", ("--bucket-size", "25M")),
           ("zero_perf", ("--zero", "megatron")),
           ("zero_perf", ("--zero", "fsdp2")))
# Divisors of the model's sizes: messages of the one are between those of the other.
FITTED = (40, 56, 80, 112)
HELD_OUT = (48, 64, 96)


def run(program, *command):
    result = launch.run_ranks(2, program, "--model", "llama3-8b", "--layers", 1, "--compute", "none", "--wait", "yield", "-c", "0", "--force",
                              *command, timeout=300)
    if result.returncode != 0:
        sys.exit(f"prediction: {program} failed\n{result.output}")


def step_in(path):
    return json.loads(path.read_text())["steps"][0]


def fit(folder, files):
    """What was measured alone as a link model, in a file."""
    fitted = launch.run_program("collbench", "fit", *files)
    if fitted.returncode != 0:
        sys.exit(f"prediction: {fitted.output}")
    path = folder / "links.txt"
    path.write_text(fitted.stdout)
    print(fitted.stdout, end="")
    return path


def measure(folder, rounds):
    """Files to fit, and medians of the steps held out, by (scheme, divisor), in seconds."""
    files = []
    times = {}
    for turn in range(rounds):
        for number, (program, flags) in enumerate(SCHEMES):
            for shrink in sorted(FITTED + HELD_OUT):
                path = folder / f"{number}-{shrink}-{turn}.json"
                held_out = shrink in HELD_OUT
                run(program, *flags, "--shrink", shrink, "--steps", 5, *(["--step-only"] if held_out else []), "-J", path)
                if held_out:
                    times.setdefault((number, shrink), []).append(step_in(path)["times"]["step"]["time_us"]["median"])
                else:
                    files.append(path)
    return files, {key: statistics.median(values) for key, values in times.items()}


def main(rounds):
    worst = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files, times = measure(folder, rounds)
        links = fit(folder, files)
        for (number, shrink), measured_us in times.items():
            program, flags = SCHEMES[number]
            path = folder / "predicted.json"
            run(program, *flags, "--shrink", shrink, "--steps", 1, "--step-only", "--links", links, "-J", path)
            predicted_us = step_in(path)["prediction"]["step_us"]
            error = predicted_us / measured_us - 1
            worst = max(worst, abs(error))
            print(f"{program} {' '.join(flags)} --shrink {shrink}: {measured_us:.0f} us, "
                  f"predicted {predicted_us:.0f} us ({100 * error:+.1f} %)", flush=True)
    print(f"worst error {100 * worst:.1f} % (limit {100 * MOST_ERROR:.0f} %)")
    return 0 if worst <= MOST_ERROR else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
