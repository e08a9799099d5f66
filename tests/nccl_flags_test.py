# SPDX-License-Identifier: Apache-2.0
# Flags that only runs on GPUs have, or that work in a way of their own there, on the fakes of NVIDIA's libraries.

import collections
import statistics
import unittest

from nccl_runs import BOTH, PROCESSES, THREADS, LeavesNothing, needs_fakes, run

SIZES = ("-b", 8, "-e", 64, "-f", 8)
SAMPLES = ("-n", 4, "-w", 2, "--samples", 3)
ROWS = 4


@needs_fakes
class Flags(LeavesNothing):
    def measure(self, way, ranks, *flags, program="all_reduce_perf", sizes=SIZES, faults="", env=None, status=0):
        """The file of a run, whose rows are right."""
        end = run(way, ranks, program, *sizes, *flags, faults=faults, env=env)
        self.assertEqual(end.status, status, end)
        self.assertEqual(end.validated.returncode, 0, end.validated.output)
        if status == 0:
            for row in end.rows:
                self.assertIn(row["status"], ("ok", "skipped"), row)
        self.table = end.stdout
        return end.document

    def rows(self, *how, **more):
        rows = self.measure(*how, **more)["rows"]
        self.assertEqual(len(rows), ROWS)
        return rows


class Ranks(Flags):
    def test_threads_and_gpus_of_processes(self):
        for processes, threads, gpus in ((2, 2, 1), (2, 1, 2), (1, 2, 2), (1, 4, 1)):
            with self.subTest(processes=processes, threads=threads, gpus=gpus):
                document = self.measure(PROCESSES, processes, *SAMPLES, "-t", threads, "-g", gpus)
                config, ranks = document["config"], document["environment"]["ranks"]
                self.assertEqual(config.get("threads_per_process", 1), threads)
                self.assertEqual(config.get("gpus_per_thread", 1), gpus)
                self.assertEqual([rank["device"] for rank in ranks], [0, 1, 2, 3])
                self.assertEqual(len({rank["device_bus_id"] for rank in ranks}), 4)
                by_process = collections.Counter(rank["pid"] for rank in ranks)
                self.assertEqual(list(by_process.values()), [threads * gpus] * processes)
                for row in document["rows"]:
                    self.assertEqual((row["ranks"], row["ranks_per_process"]), (4, threads * gpus))
                    self.assertEqual(len(row["per_rank"]["median_us"]), 4)
                    self.assertEqual(row["check"]["checked_elements"], 4 * row["count"])

    def test_processes_that_see_one_gpu_each(self):
        """As launchers show them: the local rank does not count then."""
        end = run(PROCESSES, 1, "all_reduce_perf", *SIZES, *SAMPLES, env={"CUDA_VISIBLE_DEVICES": "3"})
        self.assertEqual(end.status, 0, end)
        rank, = end.document["environment"]["ranks"]
        self.assertEqual(rank["device"], 0)
        other = run(PROCESSES, 1, "all_reduce_perf", *SIZES, *SAMPLES)
        self.assertNotEqual(rank["device_bus_id"], other.document["environment"]["ranks"][0]["device_bus_id"])

    def test_groups_of_threads(self):
        for way, ranks, rule, groups in ((THREADS, 3, "MOD 2", [0, 1, 0]), (BOTH, 4, "DIV 2", [0, 0, 1, 1]),
                                         (BOTH, 4, "MOD 2", [0, 1, 0, 1])):
            with self.subTest(way=way, rule=rule):
                document = self.measure(way, ranks, *SAMPLES, "--split", rule)
                self.assertEqual([rank["group"] for rank in document["environment"]["ranks"]], groups)
                self.assertEqual(len(document["rows"]), 2 * ROWS)
                for row in document["rows"]:
                    self.assertEqual(row["ranks"], groups.count(row["group"]["index"]))

    def test_wrong_data_is_of_the_group_that_has_it(self):
        document = self.measure(THREADS, 3, *SAMPLES, "--split", "MOD 2", faults="AllReduce@2=corrupt", status=4)
        wrong = {row["group"]["index"] for row in document["rows"] if row["status"] == "wrong"}
        self.assertEqual(wrong, {0})

    def test_what_is_loaded_is_recorded(self):
        libraries = self.measure(THREADS, 2, *SAMPLES)["environment"]["libraries"]
        self.assertLessEqual({"nccl", "cuda_runtime", "cuda_driver", "mpi"}, set(libraries))
        self.assertRegex(libraries["nccl"], r"^2\.\d+\.\d+$")
        self.assertRegex(libraries["cuda_runtime"], r"^1\d\.\d$")


class HowOperationsAreTimed(Flags):
    def test_streams_and_starts_that_change_no_result(self):
        for flags in (("-y", 1), ("-p", 1), ("-y", 0), ("-y", 1, "-m", 2), ("-y", 1, "-C", 1)):
            for way, ranks in ((PROCESSES, 2), (BOTH, 4)):
                with self.subTest(flags=flags, way=way):
                    self.rows(way, ranks, *SAMPLES, *flags)

    def test_graphs(self):
        for launches in (1, 2, 3):
            for program, way, ranks in (("all_reduce_perf", PROCESSES, 2), ("alltoall_perf", THREADS, 3),
                                        ("all_gather_perf", BOTH, 4)):
                with self.subTest(launches=launches, program=program):
                    document = self.measure(way, ranks, *SAMPLES, "-G", launches, program=program)
                    self.assertEqual(document["config"]["graph_launches"], launches)
                    measured = [row for row in document["rows"] if row["status"] == "ok"]
                    self.assertTrue(measured)
                    for row in measured:
                        self.assertEqual((row["mode"], row["operations_per_sample"]), ("graph", 4 * launches))
                        self.assertEqual(len(row["device_us"]["samples"]), 3)
                        self.assertEqual(row["check"]["wrong_elements"], 0)

    def test_a_graph_of_grouped_operations(self):
        for row in self.rows(THREADS, 2, *SAMPLES, "-G", 2, "-m", 3):
            self.assertEqual((row["operations_per_sample"], row["grouped_operations"]), (4 * 2 * 3, 3))

    def test_wrong_data_is_found_after_graphs(self):
        document = self.measure(PROCESSES, 2, *SAMPLES, "-G", 2, faults="AllReduce@1=corrupt", status=4)
        self.assertEqual({row["status"] for row in document["rows"]}, {"wrong"})

    def test_operations_alone(self):
        for choice, mode in ((1, "isolated"), (2, "isolated_unaligned")):
            for way, ranks in ((PROCESSES, 2), (BOTH, 4)):
                with self.subTest(mode, way=way):
                    for row in self.rows(way, ranks, "-z", choice, "-n", 6):
                        self.assertEqual((row["mode"], row["operations_per_sample"]), (mode, 1))
                        self.assertEqual(len(row["samples_us"]), 6)
                        self.assertEqual(len(row["device_us"]["samples"]), 6)
                        self.assertEqual("alignment_skew_us" in row, mode == "isolated")

    def test_single_iterations_are_timed_by_the_device(self):
        for way, ranks in ((PROCESSES, 2), (THREADS, 3)):
            for row in self.rows(way, ranks, "-n", 6, "-w", 1, "-I", 1, "-K", 2):
                self.assertEqual((row["iterations_us"]["skipped"], len(row["iterations_us"]["samples"])), (2, 6))

    def test_single_iterations_of_the_virtual_clock_are_the_model(self):
        """10 us for each operation of 8 bytes, behind the first whatever the host costs."""
        rows = self.rows(PROCESSES, 2, "-n", 6, "-w", 1, "-I", 1,
                         env={"FAKE_CUDA_VTIME": "1", "FAKE_CUDA_CALL_US": "1", "FAKE_NCCL_GBps": "1000000"})
        for sample in rows[0]["iterations_us"]["samples"][1:]:
            self.assertAlmostEqual(sample, 10, places=1)

    def test_time_to_enqueue(self):
        for row in self.rows(PROCESSES, 2, *SAMPLES, "-C", 1):
            self.assertLessEqual(row["enqueue_us"]["median"], row["time_us"]["median"])

    def test_fused_groups(self):
        for program in ("all_reduce_perf", "alltoall_perf"):
            with self.subTest(program):
                document = self.measure(THREADS, 2, *SAMPLES, "-m", 3, program=program)
                row = next(row for row in document["rows"] if row["status"] == "ok")
                self.assertEqual((row["grouped_operations"], row["operations_per_sample"]), (3, 12))


class WhatRowsSay(Flags):
    def test_of_the_device_and_its_clock(self):
        env = {"FAKE_NVML_REASONS": "0x24", "FAKE_NVML_SM_MHZ": "1410"}
        for row in self.rows(BOTH, 4, *SAMPLES, env=env):
            self.assertEqual(row["device_clock_MHz"], 1410)
            self.assertEqual(row["throttled_by"], ["sw_power_cap", "sw_thermal_slowdown"])
            self.assertIn("throttled", row["flags"])
            self.assertEqual(statistics.median(row["device_us"]["samples"]), row["device_us"]["median"])
            self.assertTrue(0 <= row["enqueue_share"] <= 1, row["enqueue_share"])
        self.assertRegex(self.table, r"throttled \(4 of 4 rows\)")

    def test_of_a_gpu_that_is_well(self):
        for row in self.rows(PROCESSES, 2, *SAMPLES, env={"FAKE_NVML_REASONS": "0x1"}):  # it idles
            self.assertEqual(row["throttled_by"], [])
            self.assertNotIn("throttled", row["flags"])

    def test_of_a_host_that_is_the_bottleneck(self):
        slow = {"FAKE_CUDA_VTIME": "1", "FAKE_CUDA_CALL_US": "50"}
        for row in self.rows(PROCESSES, 2, "-n", 20, env=slow):
            self.assertIn("host_bound", row["flags"])
            self.assertGreaterEqual(row["enqueue_share"], 0.9)
        for row in self.rows(PROCESSES, 2, "-n", 20, env={**slow, "FAKE_CUDA_CALL_US": "1"}):
            self.assertNotIn("host_bound", row["flags"])


class WhatIsMeasured(Flags):
    def test_all_types_and_reductions(self):
        for way in (PROCESSES, THREADS):
            with self.subTest(way):
                rows = self.measure(way, 3, "-n", 1, "-w", 0, "-d", "all", "-o", "all",
                                    sizes=("-b", "1K", "-e", "1K"))["rows"]
                measured = {(row["type"], row["op"]) for row in rows if row["status"] == "ok" and not row["in_place"]}
                self.assertEqual(len(measured), 72)
                self.assertEqual({row["status"] for row in rows}, {"ok"})
                self.assertEqual({row["check"]["wrong_elements"] for row in rows}, {0})

    def test_all_roots(self):
        for program in ("broadcast_perf", "reduce_perf", "gather_perf", "scatter_perf"):
            with self.subTest(program):
                rows = self.measure(BOTH, 4, "-n", 1, "-w", 0, "-r", "all", program=program)["rows"]
                self.assertEqual({row["root"] for row in rows if row["status"] == "ok"}, {0, 1, 2, 3})

    def test_traffic_matrices(self):
        for matrix in ("uniform", "zipf:1", "hot:0.5", "linear:0.5"):
            with self.subTest(matrix):
                rows = self.measure(THREADS, 3, *SAMPLES, "--matrix", matrix, program="alltoallv_perf",
                                    sizes=("-b", "4K", "-e", "4K"))["rows"]
                self.assertEqual([row["status"] for row in rows], ["ok", "skipped"])

    def test_check_on_the_host_and_on_the_device_find_the_same(self):
        found = {}
        for where in ("1", "host"):
            document = self.measure(PROCESSES, 2, *SAMPLES, "-c", where, faults="AllReduce#15@1=corrupt", status=4)
            found[where] = [(row["status"], row["check"]) for row in document["rows"]]
        self.assertEqual(found["1"], found["host"])
        self.assertEqual(collections.Counter(status for status, _ in found["1"]), {"wrong": 1, "ok": 3})

    def test_soak(self):
        for way, ranks in ((PROCESSES, 2), (BOTH, 4)):
            with self.subTest(way):
                document = self.measure(way, ranks, "-n", 2, "-w", 0, "--duration", "1s")
                self.assertEqual(len(document["rows"]), ROWS)
                self.assertEqual({cycle["wrong_elements"] for cycle in document["cycles"]}, {0})
                self.assertIn("# Cycles begun ", self.table)


class WhatIsRefused(Flags):
    def test_in_one_sentence(self):
        for flags in (("-D", 1), ("-V", 8), ("-R", 3), ("-x", 3), ("-M", 2), ("-t", 0), ("-g", 5000), ("-y", 2), ("-G", "x"),
                      ("-G", 2, "-y", 1), ("-G", 1, "-z", 1), ("-G", 1, "-I", 1)):
            with self.subTest(flags=flags):
                end = run(PROCESSES, 2, "all_reduce_perf", *SIZES, *flags)
                self.assertEqual((end.status, end.stdout, end.document), (2, "", None), end)
                self.assertTrue(end.stderr.startswith(f"all_reduce_perf: {flags[0]}"), end)
                self.assertEqual(end.stderr.count("\n"), 1, end)


if __name__ == "__main__":
    unittest.main()
