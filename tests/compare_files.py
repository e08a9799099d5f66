# SPDX-License-Identifier: Apache-2.0
# Result files of launches with given times, for tests and benchmarks of comparing.

import copy
import json

import launch

GOLDEN = launch.ROOT / "tests/golden/results-1.1.json"


def document(number, times_us, **environment):
    """A complete launch whose rows are all-reduces of the sizes of `times_us`, bytes to microseconds."""
    written = json.loads(GOLDEN.read_text())
    pattern = written["rows"][0]
    written["run"] |= {"id": f"{number:032x}", "started": f"2026-03-01T12:{number % 60:02}:00Z",
                       "exit_status": 0}
    written["environment"] |= environment
    written["rows"] = []
    for size, time_us in times_us.items():
        row = copy.deepcopy(pattern)
        row |= {"message_bytes": size, "requested_bytes": size, "count": size // 4, "samples_us": [time_us],
                "time_us": {"n": 1, "median": time_us}, "algbw_GBps": size / time_us / 1e3,
                "busbw_GBps": size / time_us / 1e3}
        row.pop("per_rank", None)  # of other samples
        written["rows"].append(row)
    return written


def write(path, number, times_us, **environment):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document(number, times_us, **environment)))
    return path


def write_sides(folder, factor, launches=5):
    """base/ and new/ in the folder: launches that scatter by half a percent; 16 MiB is slower by the factor."""
    for i in range(launches):
        scatter = 1 + 0.005 * ((i * 7) % 5 - 2) / 2
        base = {8: 2.0 * scatter, 1024: 4.0 * scatter, 16 << 20: 5000 * scatter}
        write(folder / "base" / f"{i}.json", 2 * i, base)
        write(folder / "new" / f"{i}.json", 2 * i + 1, base | {16 << 20: 5000 * scatter * factor})
