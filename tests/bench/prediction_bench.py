#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# How near the prediction of a step comes to the measured one, on links that were measured on the same machine.
"""Usage: tests/bench/prediction_bench.py [STEPS]     default: 20

Sweeps of the collectives and of sendrecv on 2 ranks give a link model (collbench fit); then steps that only
communicate, of sizes that no sweep had, are measured beside their predictions. Prints each error; status 1 when one is above its
limit. Operations are timed one by one and nonblocking, as a step has them. Environment: COLLBENCH_BUILD.
"""

import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import launch  # noqa: E402

MOST_ERROR = 0.15
SWEPT = ("all_reduce", "all_gather", "reduce_scatter", "sendrecv")
SWEEP = ("-b", "1K", "-e", "64M", "-f", "4", "-c", "0", "--wait", "yield", "-z", "1", "--samples", "20")
# Divisors that leave sizes between those of the sweeps.
STEPS = [(program, (*flags, "--shrink", str(shrink)))
         for program, flags in (("data_parallel_perf", ("--buckets", "single")),
                                ("data_parallel_perf", ("--bucket-size", "3M")),
                                ("zero_perf", ("--zero", "megatron")),
                                ("zero_perf", ("--zero", "fsdp2")))
         for shrink in (3, 7)]


def run(*command):
    result = launch.run_ranks(2, *command, timeout=300)
    if result.returncode != 0:
        sys.exit(f"prediction: {command[0]} failed\n{result.output}")


def links_in(folder):
    """The link model of this machine, as a file."""
    files = []
    for operation in SWEPT:
        files.append(folder / f"{operation}.json")
        run(f"{operation}_perf", *SWEEP, "-J", files[-1])
    fitted = launch.run_program("collbench", "fit", *files)
    if fitted.returncode != 0:
        sys.exit(f"prediction: {fitted.output}")
    path = folder / "links.txt"
    path.write_text(fitted.stdout)
    print(fitted.stdout, end="")
    return path


def step(folder, links, program, flags, steps):
    path = folder / "step.json"
    run(program, "--model", "tiny", "--compute", "none", "--wait", "yield", "--links", links, "--steps", steps,
        "-c", "0", "--step-only", *flags, "-J", path, "--force")
    return json.loads(path.read_text())["steps"][0]


def main(steps):
    worst = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        links = links_in(folder)
        for program, flags in STEPS:
            measured = step(folder, links, program, flags, steps)
            error = measured["derived"]["prediction_error"]
            worst = max(worst, abs(error))
            print(f"{program} {' '.join(flags)}: {measured['times']['step']['time_us']['median']:.0f} us, "
                  f"predicted {measured['prediction']['step_us']:.0f} us ({100 * error:+.1f} %)", flush=True)
    print(f"worst error {100 * worst:.1f} % (limit {100 * MOST_ERROR:.0f} %)")
    return 0 if worst <= MOST_ERROR else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
