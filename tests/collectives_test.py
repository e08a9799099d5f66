# SPDX-License-Identifier: Apache-2.0
# The collective benchmarks end to end: real binaries under mpirun, their tables and their files.
import json
import pathlib
import tempfile
import unittest
from dataclasses import dataclass

from backends import only_on
from launch import rank_counts, run_ranks

QUICK = ("-n", "2", "-w", "1")  # one sample of two operations: the numbers do not matter here


@dataclass
class Collective:
    """A collective by nccl-tests' doc/PERFORMANCE.md, written here once more on purpose."""

    factor: str  # of a message that crosses a link of n ranks: "2(n-1)/n", "(n-1)/n" or "1"
    reduces: bool = False
    rooted: bool = False
    in_place: bool = True


COLLECTIVES = {
    "all_reduce_perf": Collective("2(n-1)/n", reduces=True),
    "all_gather_perf": Collective("(n-1)/n"),
    "reduce_scatter_perf": Collective("(n-1)/n", reduces=True),
    "alltoall_perf": Collective("(n-1)/n", in_place=False),
    "alltoallv_perf": Collective("(n-1)/n", in_place=False),
    "broadcast_perf": Collective("1", rooted=True),
    "reduce_perf": Collective("1", reduces=True, rooted=True),
    "gather_perf": Collective("(n-1)/n", rooted=True),
    "scatter_perf": Collective("(n-1)/n", rooted=True),
    "sendrecv_perf": Collective("1", in_place=False),
    "hypercube_perf": Collective("(n-1)/n"),
}


def bus_factor(program, ranks):
    share = (ranks - 1) / ranks
    return {"2(n-1)/n": 2 * share, "(n-1)/n": share, "1": 1}[COLLECTIVES[program].factor]


def data_rows(stdout):
    """The lines of the table that carry numbers, as nccl-tests' users split them."""
    return [line.split() for line in stdout.splitlines() if line and not line.startswith("#")]


class Collectives(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def measure(self, ranks, program, *flags):
        """Runs a sweep that must end well; returns its result file."""
        path = self.folder / f"{program}-{ranks}-{len(list(self.folder.iterdir()))}.json"
        result = run_ranks(ranks, program, *QUICK, "-J", str(path), *flags)
        self.assertEqual(result.returncode, 0, result.output)
        self.assertRegex(result.stdout, "# Out of bounds values : (0 OK|N/A)")
        return json.loads(path.read_text()), result

    def test_every_collective_is_right_on_every_number_of_ranks(self):
        # The tests beside the code run every type with every reduction; here a start costs 0.3 s.
        choices = (("float", "sum"), ("half", "avg"), ("bfloat16", "max"), ("int32", "sum"))
        for ranks in rank_counts():
            for number, (program, collective) in enumerate(COLLECTIVES.items()):
                if program == "hypercube_perf" and ranks == 3:
                    continue  # no power of two
                data_type, reduction = choices[(ranks + number) % len(choices)]
                flags = ["-b", "64", "-e", "100K", "-f", "37", "-d", data_type]
                flags += ["-o", reduction] if collective.reduces else []
                # Blocking calls are what takes a core per rank; more ranks would be very slow.
                flags += ["--wait", "spin" if ranks <= 2 and (ranks + number) % 2 else "yield"]
                with self.subTest(ranks=ranks, program=program, flags=flags):
                    self.check_rows(*self.measure(ranks, program, *flags), program, ranks)

    def check_rows(self, document, result, program, ranks):
        collective = COLLECTIVES[program]
        rows = document["rows"]
        self.assertEqual(len(rows), 6)  # 3 sizes, out of place and in place
        lines = data_rows(result.stdout)
        self.assertEqual(len(lines), 3)
        for line, out_of_place, in_place in zip(lines, rows[0::2], rows[1::2]):
            self.check_line(line, out_of_place, in_place)
        for row in rows:
            self.assertEqual(row["root"], 0 if collective.rooted else None)
            if row["in_place"] and not collective.in_place:
                self.check_skipped(row, f"in place, {row['collective']} would overwrite what it has yet to send")
                continue
            self.assertEqual(row["status"], "ok")
            self.assertEqual(row["check"]["wrong_elements"], 0)
            self.assertGreater(row["check"]["checked_elements"], 0)
            self.check_bandwidth(row, program, ranks)

    def check_line(self, columns, out_of_place, in_place):
        """The line of the table says what the file says, with the digits that it has room for."""
        root = out_of_place["root"]
        self.assertEqual(columns[:5], [str(out_of_place["message_bytes"]), str(out_of_place["count"]),
                                       out_of_place["type"], out_of_place["op"] or "none",
                                       str(-1 if root is None else root)])
        for row, shown in ((out_of_place, columns[5:9]), (in_place, columns[9:13])):
            if row["status"] == "skipped":
                self.assertEqual(shown, ["N/A"] * 4)
                continue
            self.check_number(shown[0], row["time_us"]["median"])
            self.check_number(shown[1], row["algbw_GBps"])
            self.check_number(shown[2], row["busbw_GBps"])
            self.assertEqual(shown[3], str(row["check"]["wrong_elements"]))

    def check_number(self, text, value):
        if value is None:
            self.assertEqual(text, "N/A")
        else:
            decimals = len(text.partition(".")[2])
            self.assertAlmostEqual(float(text), value, delta=0.5001 * 10 ** -decimals)

    def check_skipped(self, row, reason):
        self.assertEqual((row["status"], row["reason"]), ("skipped", reason))
        self.assertFalse({"time_us", "algbw_GBps", "busbw_GBps", "check"} & row.keys())

    def test_what_cannot_be_done_in_place_is_in_no_average(self):
        document, result = self.measure(2, "alltoall_perf", "-b", "1K", "-e", "1K")
        row, in_place = document["rows"]
        self.check_skipped(in_place, "in place, alltoall would overwrite what it has yet to send")
        self.assertEqual(data_rows(result.stdout)[0][9:], ["N/A"] * 4)
        self.assertEqual(document["summary"]["measured"], 1)
        self.assertEqual(document["summary"]["mean_busbw_GBps"], row["busbw_GBps"])

    def test_a_run_that_can_measure_nothing_is_refused(self):
        for ranks, program, size, reason in (
                (3, "hypercube_perf", "1K", "hypercube needs a power of two of ranks, not 3"),
                (2, "all_reduce_perf", "2", "2 B is too small: one float has 4 B"),
                (2, "all_gather_perf", "24",
                 "24 B is too small: blocks are multiples of 16 B, so that 2 ranks need 32 B")):
            with self.subTest(program=program):
                path = self.folder / "nothing.json"
                result = run_ranks(ranks, program, "-b", size, "-e", size, "-J", path)
                self.assertEqual(result.returncode, 2, result.output)
                self.assertEqual(result.stderr,
                                 f"{program}: nothing of this run can be measured: {reason}\n")
                self.assertEqual(result.stdout, "")
                self.assertFalse(path.exists())

    def check_bandwidth(self, row, program, ranks):
        time_s = row["time_us"]["median"] * 1e-6
        self.assertAlmostEqual(row["algbw_GBps"] * 1e9 * time_s / row["message_bytes"], 1,
                               delta=1e-9 + 1e-12 / time_s)  # times are kept to the picosecond
        if ranks == 1:
            self.assertIsNone(row["busbw_GBps"])
        else:
            self.assertAlmostEqual(
                row["busbw_GBps"] / row["algbw_GBps"], bus_factor(program, ranks))

    @only_on("mpi")  # what runs on a fake GPU says nothing of medians
    def test_a_row_is_measured_until_its_median_is_known_or_time_is_up(self):
        path = self.folder / "sampled.json"
        result = run_ranks(2, "all_reduce_perf", "-b", "8", "-e", "8", "-J", str(path))
        self.assertEqual(result.returncode, 0, result.output)
        for row in json.loads(path.read_text())["rows"]:
            self.assertIn(row["stop_reason"], ("target", "max_time", "max_samples"))
            self.assertGreaterEqual(row["time_us"]["n"], 20)
            self.assertEqual(row["time_us"]["n"], len(row["samples_us"]))
            low, high = row["time_us"]["ci95"]
            self.assertTrue(low <= row["time_us"]["median"] <= high)
            self.assertLessEqual(sum(row["per_rank"]["last_count"]), row["time_us"]["n"])  # less where ranks tie

    def test_n_is_one_sample_without_interval_and_samples_repeat_it(self):
        document, _ = self.measure(2, "all_reduce_perf", "-b", "8", "-e", "8")
        for row in document["rows"]:
            self.assertEqual(row["time_us"]["n"], 1)
            self.assertEqual(row["operations_per_sample"], 2)
            self.assertEqual(row["stop_reason"], "fixed")
            self.assertNotIn("ci95", row["time_us"])
        document, _ = self.measure(2, "all_reduce_perf", "-b", "8", "-e", "8", "--samples", "7")
        self.assertEqual([row["time_us"]["n"] for row in document["rows"]], [7, 7])

    def test_sizes_that_round_away_or_repeat_are_said_and_not_measured(self):
        document, result = self.measure(3, "all_gather_perf", "-b", "16", "-e", "64", "-i", "16")
        rows = [row for row in document["rows"] if not row["in_place"]]
        self.assertEqual([row["status"] for row in rows], ["skipped", "skipped", "ok", "skipped"])
        self.assertTrue(all(row["reason"] for row in rows if row["status"] == "skipped"))
        self.assertNotIn("time_us", rows[0])
        self.assertEqual([row[0] for row in data_rows(result.stdout)], ["48"])
        self.assertEqual(result.stdout.count("skipped: "), 3)

    def test_one_rank_has_no_bus_bandwidth(self):
        _, result = self.measure(1, "all_reduce_perf", "-b", "1K", "-e", "1K")
        self.assertEqual(data_rows(result.stdout)[0][7], "N/A")
        self.assertIn("# Avg bus bandwidth    : N/A", result.stdout)

    def test_without_a_check_nothing_looks_verified(self):
        document, result = self.measure(2, "all_reduce_perf", "-b", "8", "-e", "8", "-c", "0")
        self.assertEqual(data_rows(result.stdout)[0][8], "N/A")
        self.assertNotIn("OK", result.stdout)
        self.assertNotIn("check", document["rows"][0])

    def test_dry_run_measures_nothing_and_says_what_it_would(self):
        result = run_ranks(3, "all_gather_perf", "-b", "32", "-e", "1K", "-f", "32", "--dry-run")
        self.assertEqual(result.returncode, 0, result.output)
        self.assertEqual(data_rows(result.stdout)[1], ["1024", "1008", "84", "float", "336", "1008"])
        self.assertIn("skipped", result.stdout)
        self.assertIn("each rank allocates 1.969 KiB", result.stdout)

    def test_a_dry_run_ends_as_the_run_would_where_nothing_can_be_measured(self):
        result = run_ranks(3, "hypercube_perf", "-b", "1K", "-e", "1K", "--dry-run")
        self.assertEqual(result.returncode, 2, result.output)
        self.assertIn("skipped: hypercube needs a power of two of ranks, not 3", result.stdout)
        self.assertIn("nothing of this run can be measured", result.stderr)

    def test_messages_beyond_memory_are_refused_before_anything_is_measured(self):
        result = run_ranks(2, "all_reduce_perf", "-b", "1M", "-e", "64T", "-f", "2")
        self.assertEqual(result.returncode, 2, result.output)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertIn("lower -e", result.stderr)

    def test_an_existing_file_is_refused_unless_forced(self):
        path = self.folder / "kept.json"
        path.write_text("precious")
        flags = (*QUICK, "-b", "8", "-e", "8", "-J", str(path))
        result = run_ranks(2, "all_reduce_perf", *flags)
        self.assertEqual(result.returncode, 2, result.output)
        self.assertEqual(path.read_text(), "precious")
        self.assertEqual(run_ranks(2, "all_reduce_perf", *flags, "--force").returncode, 0)
        self.assertEqual(json.loads(path.read_text())["run"]["status"], "complete")

    def test_bad_flags_end_in_one_sentence_from_one_rank(self):
        for flags in (["--bogus"], ["-n", "-3"], ["-b", "64", "-e", "8"], ["-d", "quad"], ["x"]):
            with self.subTest(flags=flags):
                result = run_ranks(3, "all_reduce_perf", *flags)
                self.assertEqual(result.returncode, 2, result.output)
                self.assertEqual(result.stdout, "")
                self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)


if __name__ == "__main__":
    unittest.main()
