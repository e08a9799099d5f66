#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# What a report of many rows takes, and how large its page is.
"""Usage: tests/bench/report_bench.py [ROWS]     default: 10000, of 20 samples each, in two files

Prints the time of each format, the size of what it writes and the peak of memory; status 1 when the page takes longer or
is larger than its limit. Environment: COLLBENCH_BUILD.
"""

import copy
import json
import os
import pathlib
import random
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import launch  # noqa: E402

MOST_SECONDS = 3.0
MOST_BYTES = 5e6
SAMPLES = 20
TYPES = ("float", "half", "bfloat16", "double", "int8", "int32", "uint8", "int64", "uint32", "uint64")
FORMATS = ("html", "text", "markdown", "csv", "prom")


def document(rows, seed):
    """The golden document's first row in so many sizes, placements and types."""
    result = json.loads((launch.ROOT / "tests/golden/results-1.1.json").read_text())
    measured = result["rows"][0]
    chance = random.Random(seed)
    result["rows"] = []
    for number in range(rows):
        row = copy.deepcopy(measured)
        size = 8 * (1 + number // (2 * len(TYPES)))
        median = 5 + size / 1000
        samples = sorted(round(median * chance.uniform(0.97, 1.05), 6) for _ in range(SAMPLES))
        row.update(type=TYPES[number // 2 % len(TYPES)], message_bytes=size, requested_bytes=size, in_place=bool(number % 2),
                   samples_us=samples)
        row["time_us"] = {"n": SAMPLES, "median": (samples[9] + samples[10]) / 2, "ci95": [samples[5], samples[14]]}
        result["rows"].append(row)
    result["run"]["exit_status"] = 0
    return result


def measure(files, name, output):
    """Seconds, bytes and the peak of memory in MB."""
    begin = time.monotonic()
    child = os.spawnv(os.P_NOWAIT, launch.program_path("collbench"),
                      ["collbench", "report", *map(str, files), "--format", name, "-o", str(output)])
    _, status, usage = os.wait4(child, 0)
    seconds = time.monotonic() - begin
    if status != 0:
        sys.exit(f"report: collbench report ended with status {os.waitstatus_to_exitcode(status)}")
    return seconds, output.stat().st_size, usage.ru_maxrss / 1000


def main(arguments):
    rows = int(arguments[0]) if arguments else 10_000
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name in ("base", "new"):
            files.append(pathlib.Path(folder) / f"{name}.json")
            files[-1].write_text(json.dumps(document(rows // 2, name)))
        print(f"report of {rows} rows, files of {sum(file.stat().st_size for file in files) / 1e6:.1f} MB")
        bad = False
        for name in FORMATS:
            seconds, size, memory = measure(files, name, pathlib.Path(folder) / "report")
            missed = name == "html" and rows <= 10_000 and (seconds > MOST_SECONDS or size > MOST_BYTES)
            bad = bad or missed
            print(f"  {name:<9}{seconds:6.2f} s {size / 1e6:7.2f} MB written {memory:6.0f} MB of memory"
                  f"{'  MISSED: at most 3 s and 5 MB' if missed else ''}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
