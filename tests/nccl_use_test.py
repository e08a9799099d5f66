# SPDX-License-Identifier: Apache-2.0
# How NCCL is asked to work: registration, memory, configuration, its own calls. On the fakes of NVIDIA's libraries.

import pathlib
import tempfile
import unittest

import launch
import operation_log
import schema_test
from nccl_runs import BOTH, PROCESSES, THREADS, LeavesNothing, needs_fakes, run

SIZES = ("-b", "1K", "-e", "4K", "-f", 4, "-n", 2, "-w", 1)
BUFFER_BYTES = 4096
PLACES = ((PROCESSES, 1), (PROCESSES, 2), (THREADS, 3), (BOTH, 4))


@needs_fakes
class Use(LeavesNothing):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nccl-use-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def measure(self, way, ranks, *flags, program="all_reduce_perf", env=None):
        """A run whose data are right; what it told NCCL is in told() and groups_of()."""
        for file in self.folder.iterdir():
            file.unlink()
        end = run(way, ranks, program, *SIZES, *flags, env={"FAKE_NCCL_LOG": str(self.folder), **(env or {})})
        self.assertEqual(end.status, 0, end)
        self.assertEqual(end.validated.returncode, 0, end.validated.output)
        self.assertEqual(schema_test.problems(end.document), [])
        for row in end.rows:
            self.assertIn(row["status"], ("ok", "skipped"), row)
        return end

    def refused(self, *flags, program="all_reduce_perf", env=None, status=2):
        end = run(PROCESSES, 2, program, *SIZES, *flags, env=env)
        self.assertEqual((end.status, end.stdout, end.document), (status, "", None), end)
        self.assertEqual(end.stderr.count("\n"), 1, end)
        return end.stderr

    def told(self, rank):
        path = self.folder / f"use-{rank}.txt"
        return path.read_text().splitlines() if path.exists() else []


class Registration(Use):
    def test_buffers(self):
        for way, ranks in PLACES:
            with self.subTest(way=way, ranks=ranks):
                end = self.measure(way, ranks, "-R", 1)
                self.assertEqual(end.document["config"]["nccl"], {"buffers": "ncclmem", "registration": "buffers"})
                for rank in range(ranks):
                    self.assertEqual(self.told(rank), 2 * [f"ncclCommRegister {BUFFER_BYTES}"]
                                     + 2 * ["ncclCommDeregister"])

    def test_symmetric_windows(self):
        for way, ranks in PLACES:
            with self.subTest(way=way, ranks=ranks):
                end = self.measure(way, ranks, "-R", 2)
                self.assertEqual(end.document["config"]["nccl"], {"buffers": "ncclmem", "registration": "windows"})
                for rank in range(ranks):
                    self.assertEqual(self.told(rank), 2 * [f"ncclCommWindowRegister {BUFFER_BYTES} flags 1"]
                                     + 2 * ["ncclCommWindowDeregister"])

    def test_each_group_of_ranks_registers_for_its_communicator(self):
        self.measure(BOTH, 4, "-R", 2, "--split", "MOD 2")
        for rank in range(4):
            self.assertEqual(len(self.told(rank)), 4)

    def test_memory_without_registration(self):
        end = self.measure(PROCESSES, 2, "--buffers", "ncclmem")
        self.assertEqual(end.document["config"]["nccl"], {"buffers": "ncclmem"})
        end = self.measure(PROCESSES, 2, "-R", 1, "--buffers", "malloc")
        self.assertEqual(end.document["config"]["nccl"], {"registration": "buffers"})

    def test_nothing_is_told_or_recorded_without_flags(self):
        self.assertNotIn("nccl", self.measure(PROCESSES, 2).document["config"])
        self.assertEqual(self.told(0), [])

    def test_a_window_that_nccl_silently_does_not_make_is_flagged(self):
        end = self.measure(PROCESSES, 2, "-R", 2, env={"FAKE_NCCL_WINDOWS": "0"})
        for row in end.rows:
            self.assertIn("not_registered", row["flags"])
        self.assertRegex(end.stdout, r"# not_registered \(4 of 4 rows\): ")
        self.assertNotIn("ncclCommWindowDeregister", self.told(0))

    def test_windows_need_memory_and_a_version(self):
        self.assertIn("-R 2: symmetric windows need memory of ncclMemAlloc",
                      self.refused("-R", 2, "--buffers", "malloc"))
        self.assertIn("-R 2: NCCL has it since 2.27.0, and the one that was found is 2.26.2",
                      self.refused("-R", 2, env={"FAKE_NCCL_VERSION": "22602"}))

    def test_compare_names_what_differs(self):
        paths = []
        for name, flags in (("base", ()), ("new", ("-R", 2, "-x", 2))):
            paths.append(self.folder / f"{name}.json")
            launch.run_ranks(2, "all_reduce_perf", "--backend", "nccl", *SIZES, *flags, "-J", paths[-1],
                             env=launch.on_fakes({}))
        result = launch.run_program("collbench", "compare", paths[0], "--", paths[1])
        for name in ("--buffers", "-R", "--nccl-config CTAPolicy"):
            self.assertIn(name, result.stdout)


class Configuration(Use):
    def test_fields_reach_nccl(self):
        fields = "cgaClusterSize=2,minCTAs=1,maxCTAs=4,netName=Socket,splitShare=1,trafficClass=3,commName=x," \
                 "collnetEnable=0,CTAPolicy=1,shrinkShare=0,nvlsCTAs=2,nChannelsPerNetPeer=1,nvlinkCentricSched=1"
        for way, ranks in PLACES:
            with self.subTest(way=way, ranks=ranks):
                end = self.measure(way, ranks, "--nccl-config", fields)
                recorded = dict(field.split("=") for field in fields.split(","))
                self.assertEqual(end.document["config"]["nccl"], {"config": recorded})
                for rank in range(ranks):
                    self.assertEqual(self.told(rank), ["ncclCommInitRankConfig " + fields.replace(",", " ")])

    def test_policy_of_ctas(self):
        for policy in (0, 1, 2):
            end = self.measure(THREADS, 2, "-x", policy)
            self.assertEqual(end.document["config"]["nccl"], {"config": {"CTAPolicy": str(policy)}})
            self.assertEqual(self.told(0), [f"ncclCommInitRankConfig CTAPolicy={policy}"])

    def test_what_cannot_be_is_refused_in_one_sentence(self):
        self.assertIn("'minctas' is no field of ncclConfig_t; choose from blocking, ",
                      self.refused("--nccl-config", "minctas=1"))
        self.assertIn("--nccl-config numRmaCtx: NCCL has it since 2.29.0", self.refused("--nccl-config", "numRmaCtx=1"))
        self.assertIn("-x or --nccl-config CTAPolicy: NCCL has it since 2.27.0",
                      self.refused("-x", 1, env={"FAKE_NCCL_VERSION": "22602"}))

    def test_what_nccl_refuses_is_its_error(self):
        end = run(PROCESSES, 2, "all_reduce_perf", *SIZES, "--nccl-config", "minCTAs=4,maxCTAs=2")
        self.assertEqual(end.status, 3, end)
        self.assertIn("ncclCommInitRankConfig failed with ncclInvalidArgument", end.stderr)


class NativeCalls(Use):
    def kinds(self):
        return {op.op for groups in operation_log.read(self.folder).values() for group in groups for op in group}

    def test_they_are_what_reaches_nccl(self):
        for program, name in (("alltoall_perf", "alltoall"), ("gather_perf", "gather"), ("scatter_perf", "scatter")):
            for way, ranks in PLACES:
                with self.subTest(program, way=way, ranks=ranks):
                    end = self.measure(way, ranks, "--alltoall", "native", program=program)
                    self.assertEqual(end.document["config"]["nccl"], {"alltoall": "native"})
                    self.assertEqual(self.kinds(), {name})

    def test_all_roots_and_graphs(self):
        self.measure(THREADS, 3, "--alltoall", "native", "-r", "all", program="gather_perf")
        self.measure(THREADS, 2, "--alltoall", "native", "-G", 2, "-m", 2, program="alltoall_perf")

    def test_messages_are_the_default(self):
        self.measure(PROCESSES, 2, "--alltoall", "p2p", program="alltoall_perf")
        self.assertEqual(self.kinds(), {"send", "recv"})

    def test_where_there_is_none_it_is_refused(self):
        self.assertIn("--alltoall native: NCCL has it since 2.28.0",
                      self.refused("--alltoall", "native", program="alltoall_perf", env={"FAKE_NCCL_VERSION": "22703"}))
        self.assertIn("--alltoall native: all_reduce ", self.refused("--alltoall", "native"))


class ZeroCtas(Use):
    def test_a_silent_fall_back_is_said_with_its_reason(self):
        for program, flags, reason in (
                ("all_reduce_perf", ("-R", 2), "all_gather, alltoall, gather and scatter only"),
                ("alltoall_perf", ("-R", 2), "give --alltoall native"),
                ("all_gather_perf", ("-R", 1), "give -R 2")):
            with self.subTest(program):
                end = self.measure(THREADS, 2, "-x", 2, *flags, program=program)
                self.assertRegex(end.stdout, rf"# zero CTAs \(-x 2\): NCCL silently uses its kernels here, .*{reason}\n")
                for row in end.rows:
                    self.assertIn("cta_fallback", row["flags"])

    def test_where_nothing_speaks_against_it_nothing_is_said(self):
        for program, flags in (("all_gather_perf", ()), ("alltoall_perf", ("--alltoall", "native"))):
            with self.subTest(program):
                end = self.measure(THREADS, 2, "-x", 2, "-R", 2, *flags, program=program)
                self.assertNotIn("zero CTAs", end.stdout)
                for row in end.rows:
                    self.assertNotIn("cta_fallback", row["flags"])


class MemoryUse(Use):
    def test_is_shown_and_recorded(self):
        for way, ranks in PLACES:
            with self.subTest(way=way, ranks=ranks):
                end = self.measure(way, ranks, "-M", 1)
                use = end.document["gpu_memory"]
                self.assertEqual(use["buffers_bytes"], 2 * BUFFER_BYTES)
                self.assertRegex(end.stdout, r"# GPU memory usage     : Initialization .* \| User-Allocated 8 KiB \| "
                                             r"Collective .* \| Total .*\n")

    def test_is_not_without_the_flag(self):
        end = self.measure(PROCESSES, 2, "-M", 0)
        self.assertNotIn("gpu_memory", end.document)
        self.assertNotIn("GPU memory usage", end.stdout)


class AcrossNodes(Use):
    def test_the_number_of_nics_is_recorded_and_one_node_has_no_rate_of_them(self):
        end = self.measure(THREADS, 2, "--nics", 4)
        self.assertEqual(end.document["config"]["nics_per_node"], 4)
        for row in end.rows:
            self.assertNotIn("nic_GBps", row)
        end.rows[0]["nic_GBps"] = 12.5  # as across nodes
        self.assertEqual(schema_test.problems(end.document), [])

    def test_no_nics_are_refused(self):
        self.assertIn("--nics: '0' is not a whole number of at least 1", self.refused("--nics", 0))


class FirstDevice(Use):
    def devices(self, way, ranks, first):
        end = self.measure(way, ranks, env={"NCCL_TESTS_DEVICE": first})
        return [rank["device"] for rank in end.document["environment"]["ranks"]]

    def test_ranks_of_a_process_take_those_from_there_on(self):
        self.assertEqual(self.devices(PROCESSES, 1, "3"), [3])
        self.assertEqual(self.devices(THREADS, 3, "2"), [2, 3, 4])
        self.assertEqual(self.devices(THREADS, 2, ""), [0, 1])

    def test_every_process_begins_with_it(self):
        end = run(PROCESSES, 2, "all_reduce_perf", *SIZES, env={"NCCL_TESTS_DEVICE": "1"})
        self.assertEqual(end.status, 3, end)
        self.assertIn("ranks 0 and 1 on ", end.stderr)

    def test_what_is_no_device_is_refused(self):
        self.assertIn("NCCL_TESTS_DEVICE: 'first' is not a whole number",
                      self.refused(env={"NCCL_TESTS_DEVICE": "first"}))
        end = run(THREADS, 2, "all_reduce_perf", *SIZES, env={"NCCL_TESTS_DEVICE": "7"})
        self.assertEqual(end.status, 3, end)
        self.assertIn("NCCL_TESTS_DEVICE is 7, which gives it device 8, and there are 8", end.stderr)


if __name__ == "__main__":
    unittest.main()
