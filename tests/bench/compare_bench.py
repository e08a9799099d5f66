#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# What comparing large files takes: time and memory.
"""Usage: tests/bench/compare_bench.py [ROWS...]     default: 20000 100000

Writes two files of so many rows of one sample, compares them, and prints processor time and peak memory; status 1 above the limits.
Environment: COLLBENCH_BUILD.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import compare_files  # noqa: E402
import launch  # noqa: E402

LIMITS = {20000: (3, 300), 100000: (12, 1000)}  # seconds, MB


def write(path, number, rows):
    """Rows one by one: as a document of Python's, they would take more memory than what is measured."""
    document = compare_files.document(number, {8: 2.0})
    row = document["rows"].pop()
    head, tail = json.dumps(document).split('"rows": []')
    with path.open("w") as file:
        file.write(head + '"rows": [')
        for i in range(rows):
            size = 4 * (i + 1)
            row |= {"message_bytes": size, "requested_bytes": size, "count": i + 1}
            row["samples_us"] = [2.0 + size / 5e3 + number * 0.001]
            row["time_us"] = {"n": 1, "median": row["samples_us"][0]}
            file.write((",\n" if i else "\n") + json.dumps(row))
        file.write("]" + tail)


def measure(folder, rows):
    sides = [folder / f"{side}.json" for side in ("base", "new")]
    for number, path in enumerate(sides):
        write(path, number, rows)
    command = [launch.program_path("collbench"), "compare", sides[0], "--", sides[1]]
    # In a process of its own, so that time and peak are those of this comparison: of the processor, since others may
    # use the machine, too.
    probe = ("import resource, subprocess, sys; ended = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
             "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
             "print(used.ru_utime + used.ru_stime, used.ru_maxrss); sys.exit(ended.returncode)")
    ended = subprocess.run([sys.executable, "-c", probe, *map(str, command)], capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"compare ended with {ended.returncode}: {ended.stderr}")
    took_s, peak_kB = ended.stdout.split()
    return float(took_s), int(peak_kB) / 1e3


def main(counts):
    status = 0
    for rows in counts:
        with tempfile.TemporaryDirectory() as folder:
            took_s, peak_MB = measure(pathlib.Path(folder), rows)
        most_s, most_MB = LIMITS.get(rows, (float("inf"), float("inf")))
        print(f"compare 2 x {rows} rows: {took_s:.2f} s (limit {most_s}), peak {peak_MB:.0f} MB (limit {most_MB})")
        status |= took_s > most_s or peak_MB > most_MB
    return int(status)


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]] or list(LIMITS)))
