#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Messages of more than 2^32 bytes and elements, measured and checked on 2 ranks: `make test-large`.
"""Usage: tests/large.py     every run; the last line says how many were right

Each run holds two buffers of 4 GiB per rank; the programs know what else it takes, and refuse to start
where there is less. The runs share one deadline.
Environment: COLLBENCH_BUILD, MPIRUN as for the tests.
Status: 0 all right; 1 something wrong, or the deadline passed; 2 not enough memory.
"""

import json
import pathlib
import sys
import tempfile
import time
import unittest

import launch

RANKS = 2
PAST_32_BYTES = (1 << 32) + (1 << 20)  # of uint8: as many elements
PAST_31_BYTES = (1 << 31) + (1 << 20)
DEADLINE_S = 300
ONCE = ("-n", "1", "-w", "0", "-c", "1")
PROGRAMS = ("all_reduce", "all_gather", "broadcast", "sendrecv")
# Blocking calls, and nonblocking ones, whose limits are all at 2^31.
PASSES = (("spin", PAST_32_BYTES), ("yield", PAST_31_BYTES))


class MemoryLacks(Exception):
    """What a program said that found too little of it."""


def expected_rows(program, message_bytes):
    """(in_place, count, checked_elements, status) of each row."""
    is_sharded = program == "all_gather"
    count = message_bytes // RANKS if is_sharded else message_bytes
    rows = [(False, count, RANKS * message_bytes, "ok")]
    if program == "sendrecv":
        return rows + [(True, count, None, "skipped")]
    return rows + [(True, count, RANKS * message_bytes, "ok")]


class LargeMessages(unittest.TestCase):
    """What every result file of such a run must say."""

    def check_file(self, path, program, message_bytes):
        document = json.loads(path.read_text())
        self.assertEqual(document["run"]["status"], "complete")
        rows = document["rows"]
        expected = expected_rows(program, message_bytes)
        self.assertEqual(len(rows), len(expected))
        for row, (in_place, count, checked, status) in zip(rows, expected):
            with self.subTest(in_place=in_place):
                self.check_row(row, message_bytes, count, status)
                self.assertIs(row["in_place"], in_place)
                self.assertEqual(row.get("check", {}).get("checked_elements"), checked)
        return rows[0]

    def check_row(self, row, message_bytes, count, status):
        self.assertEqual(row["status"], status, row.get("reason"))
        self.assertEqual(row["message_bytes"], message_bytes)
        self.assertEqual(row["requested_bytes"], message_bytes)
        self.assertEqual(row["count"], count)
        if status != "ok":
            return
        self.assertEqual(row["check"]["wrong_elements"], 0)
        by_time = row["message_bytes"] / row["time_us"]["median"] / 1e3
        self.assertAlmostEqual(row["algbw_GBps"] / by_time, 1, places=3)
        share = {"broadcast": 1, "sendrecv": 1, "all_gather": 1 / 2, "all_reduce": 1}
        bus = row["algbw_GBps"] * share[row["collective"]]  # of 2 ranks
        self.assertAlmostEqual(row["busbw_GBps"] / bus, 1, places=3)


def measure(program, message_bytes, path, *flags, timeout):
    """Runs one size once, out of place and in place, with the data check. Raises MemoryLacks."""
    size = ("-b", str(message_bytes), "-e", str(message_bytes), "-d", "uint8")
    arguments = (*size, *ONCE, "-J", str(path), *flags)
    result = launch.run_ranks(RANKS, f"{program}_perf", *arguments, timeout=timeout)
    if result.returncode == 2 and "need two such buffers per rank" in result.stderr:
        raise MemoryLacks(result.stderr.strip())
    return result


def run_one(folder, program, wait, message_bytes, deadline_s):
    """One run; its line, and whether all was right."""
    path = folder / f"{program}-{wait}.json"
    start_s = time.monotonic()
    left_s = max(deadline_s - start_s, 1)
    result = measure(program, message_bytes, path, "--wait", wait, timeout=left_s)
    what = f"{program:<11}{message_bytes:>11}  --wait {wait:<6} {time.monotonic() - start_s:5.1f} s"
    if result.timed_out:
        return f"{what}  not done when the {DEADLINE_S} s of all runs were over", False
    if result.returncode != 0:
        return f"{what}  ended with status {result.returncode}\n{result.output}", False
    try:
        row = LargeMessages().check_file(path, program, message_bytes)
    except AssertionError as error:
        return f"{what}  {error}", False
    pieces = ", in pieces" if "in_pieces" in row["flags"] else ""
    return f"{what}  right, {row['algbw_GBps']:.2f} GB/s{pieces}", True


def main():
    try:
        return measure_all()
    except MemoryLacks as error:
        print(f"make test-large needs more free memory: {error}")
        return 2


def measure_all():
    """The status: 0 or 1."""
    print(f"# uint8 on {RANKS} ranks, out of place and in place, data checked")
    outcomes = []
    deadline_s = time.monotonic() + DEADLINE_S
    runs = [(program, *of_pass) for of_pass in PASSES for program in PROGRAMS]
    with tempfile.TemporaryDirectory() as folder:
        for run in runs:
            line, is_right = run_one(pathlib.Path(folder), *run, deadline_s)
            print(line, flush=True)
            outcomes.append(is_right)
            if time.monotonic() > deadline_s:
                break
    print(f"{sum(outcomes)} of {len(runs)} runs right")
    return 0 if sum(outcomes) == len(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
