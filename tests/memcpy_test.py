# SPDX-License-Identifier: Apache-2.0
# memcpy_perf end to end: its rows, what reads them, and what it refuses.
import json
import pathlib
import tempfile
import unittest

import documented
import launch
import nccl_runs

SIZES = ("-b", "4K", "-e", "64K", "-f", "16")
SHORT = (*SIZES, "--samples", 3)
OF_DEVICES = ["device_copy", "host_to_device_pinned", "host_to_device_pageable", "device_to_host_pinned",
              "device_to_host_pageable"]
# 10 GB/s, exactly, whatever this machine does.
BY_MODEL = {"FAKE_CUDA_VTIME": "1", "FAKE_CUDA_COPY_GBPS": "10"}


def modes(ranks):
    return ("alone", "together") if ranks > 1 else ("alone",)


def peers(ranks):
    return [f"peer_copy_{shift}_{access}" for shift in range(1, max(ranks, 2)) for access in ("no_access", "access")]


def keys(rows):
    return [(row["collective"], row["mode"], row["requested_bytes"]) for row in rows]


def expected(operations, ranks):
    return [(operation, mode, size) for operation in operations for size in (4096, 65536) for mode in modes(ranks)]


class Memcpy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "out.json"

    def measure(self, ranks, *flags):
        result = launch.run_ranks(ranks, "memcpy_perf", *SHORT, "--backend", "mpi", *flags, "-J", self.file, "--force")
        self.assertEqual(result.returncode, 0, result.output)
        return json.loads(self.file.read_text()), result

    def check_row(self, row, ranks):
        """Of what every row that is measured must have."""
        self.assertEqual(row["status"], "ok", row)
        self.assertEqual((row["ranks"], row["type"], row["count"]), (ranks, "uint8", row["message_bytes"]))
        self.assertEqual(len(row["samples_us"]), 3)
        self.assertEqual(len(row["per_rank"]["median_us"]), ranks)
        self.assertEqual(row["check"], {"checked_elements": ranks * row["message_bytes"], "wrong_elements": 0})
        self.assertIsNone(row["busbw_GBps"])
        self.assertAlmostEqual(row["algbw_GBps"] * row["time_us"]["median"] * 1e3 / row["message_bytes"], 1, places=5)

    def test_rows_of_hosts(self):
        for ranks in launch.rank_counts():
            with self.subTest(ranks=ranks):
                document, _ = self.measure(ranks)
                self.assertEqual(keys(document["rows"]), expected(["host_copy"], ranks))
                for row in document["rows"]:
                    self.check_row(row, ranks)

    @nccl_runs.needs_fakes
    def test_rows_of_gpus(self):
        for way, ranks in ((nccl_runs.PROCESSES, 2), (nccl_runs.THREADS, 3), (nccl_runs.BOTH, 4)):
            with self.subTest(way, ranks=ranks):
                end = nccl_runs.run(way, ranks, "memcpy_perf", *SHORT, env={"FAKE_CUDA_INLINE": "1"})
                self.assertEqual(end.status, 0, end)
                self.assertEqual(keys(end.rows), expected(OF_DEVICES + peers(ranks), ranks))
                for row in end.rows:
                    self.check_row(row, ranks)
                self.assertEqual(end.validated.returncode, 0, end.validated.output)

    @nccl_runs.needs_fakes
    def test_one_gpu_has_no_peers_and_says_so(self):
        end = nccl_runs.run(nccl_runs.PROCESSES, 1, "memcpy_perf", *SHORT)
        self.assertEqual(end.status, 0, end)
        self.assertEqual(keys(end.rows), expected(OF_DEVICES + peers(1), 1))
        for row in end.rows:
            if row["collective"].startswith("peer_copy"):
                self.assertEqual((row["status"], "two GPUs" in row["reason"]), ("skipped", True), row)
            else:
                self.check_row(row, 1)

    @nccl_runs.needs_fakes
    def test_processes_that_see_one_gpu_each_have_no_peers_and_say_so(self):
        shim = self.folder / "own_gpu.sh"
        shim.write_text('#!/bin/sh\nCUDA_VISIBLE_DEVICES=${PMI_RANK:-$OMPI_COMM_WORLD_RANK} exec "$@"\n')
        shim.chmod(0o755)
        command = launch.mpirun(2, shim, launch.program_path("memcpy_perf"), "--backend", "nccl", *SHORT, "-J", self.file)
        with launch.start(*command, env=launch.on_fakes()) as running:
            result = running.wait()
        self.assertEqual(result.returncode, 0, result.output)
        rows = [row for row in json.loads(self.file.read_text())["rows"] if row["status"] == "skipped"]
        self.assertEqual({row["collective"] for row in rows}, set(peers(2)))
        for row in rows:
            self.assertIn("rank 0 does not see the GPU 0000:02:00.0 of rank 1", row["reason"])

    @nccl_runs.needs_fakes
    def test_times_are_those_of_the_model(self):
        end = nccl_runs.run(nccl_runs.PROCESSES, 2, "memcpy_perf", *SHORT, env=BY_MODEL)
        self.assertEqual(end.status, 0, end)
        for row in end.rows:
            rate = 5 if row["collective"].endswith("no_access") else 10  # by the host it takes twice as long
            self.assertAlmostEqual(row["algbw_GBps"], rate, places=6, msg=row["collective"])

    @nccl_runs.needs_fakes
    def test_memory_that_is_not_there_is_refused_before_anything_is_measured(self):
        end = nccl_runs.run(nccl_runs.PROCESSES, 2, "memcpy_perf", "-b", "1M", "-e", "64M", "-f", "64",
                            env={"FAKE_CUDA_MEMORY": str(128 << 20)})
        self.assertEqual(end.status, 2, end)
        self.assertIn("-e: copies of 64 MiB need 4 such buffers of a GPU per rank", end.stderr)
        self.assertEqual(end.stderr.count("\n"), 1, end.stderr)

    def test_show_validate_and_compare_read_its_file(self):
        _, result = self.measure(2)
        shown = launch.run_program("collbench", "show", self.file)
        table = result.stdout[result.stdout.index("# Using devices"):].rstrip("\n")
        self.assertIn(table[table.index("# operation"):], shown.stdout)
        self.assertIn("# slowest of host_copy together, 65536 B: rank ", shown.stdout)
        valid = launch.run_program("collbench", "validate", self.file)
        self.assertEqual((valid.returncode, valid.stdout.count("4 rows")), (0, 1), valid.output)
        self.assertIn("host_copy", launch.run_program("collbench", "convert", "--to", "csv", self.file).stdout)
        page = launch.run_program("collbench", "report", self.file, "-o", self.folder / "page.html")
        self.assertEqual(page.returncode, 0, page.output)
        other = self.folder / "other.json"
        other.write_text(self.file.read_text())
        self.measure(2)
        compared = launch.run_program("collbench", "compare", other, "--", self.file)
        self.assertIn(compared.returncode, (0, 1, 6), compared.output)  # two quick launches may say anything
        self.assertIn("host_copy", compared.stdout)

    def test_copies_and_check_are_those_asked_for(self):
        document, _ = self.measure(1, "-n", 7, "-c", 0)
        for row in document["rows"]:
            self.assertEqual(row["operations_per_sample"], 7)
            self.assertNotIn("check", row)

    def test_refuses_what_it_cannot_do(self):
        for flags, words in ((("-b", "0"), "-b: 0 bytes"), (("-d", "float"), "-d"), (("-e", "1P"), "-e: ")):
            with self.subTest(flags):
                result = launch.run_ranks(2, "memcpy_perf", "--backend", "mpi", *flags)
                self.assertEqual(result.returncode, 2, result.output)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn(words, result.stderr)

    def test_its_page_prints_what_it_says(self):
        documented.check_page(self, "local-copies.md", self.folder)


if __name__ == "__main__":
    unittest.main()
