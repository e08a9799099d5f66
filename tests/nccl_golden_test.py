# SPDX-License-Identifier: Apache-2.0
# Tables and files of runs on fake GPUs whose clock is virtual, compared to the digit with tests/golden.
"""An operation of the fakes takes 10 us and 10 us for each MB here, whatever the machine is doing, so that times, statistics,
bandwidths, flags, the table and the file are known. GOLDEN_UPDATE=1 writes the files anew: look at what changed.
"""

import json
import os
import pathlib
import re
import tempfile
import unittest

import backends
import launch

GOLDEN = launch.ROOT / "tests" / "golden"
SWEEP = ("-b", "1M", "-e", "4M", "-f", "2")
SAMPLES = ("-n", "20", "--samples", "8", "-w", "5")
ALL_ON_ONE_PAGE = ("all_reduce", "all_gather", "reduce_scatter", "alltoall", "alltoallv", "broadcast", "reduce", "gather",
                   "scatter", "sendrecv", "hypercube")


def without_accidents(text):
    """But for what differs from run to run and from machine to machine: process ids, host names, paths, cores."""
    text = re.sub(r"Pid +\d+ on +\S+", "Pid PID on HOST", text)
    text = re.sub(r"# oversubscribed .*\n", "", text)
    return re.sub(r"backend nccl: \S+", "backend nccl: PLUGIN", text)


def rows_of(document):
    """One line for each row."""
    for row in document["rows"]:
        row.pop("ended")
        row["flags"] = [flag for flag in row["flags"] if flag != "oversubscribed"]
    return "".join(json.dumps(row) + "\n" for row in document["rows"])


@unittest.skipUnless(backends.has_nccl(launch.BUILD), "requires plugin: CUDA's compiler and nccl.h")
class Golden(unittest.TestCase):
    maxDiff = None

    def run_on_virtual_time(self, processes, program, *flags, **variables):
        """(table, rows) of a run."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.json"
            result = launch.run_ranks(
                processes, program, "--backend", "nccl", *flags, "-J", path,
                env=launch.on_fakes({"FAKE_CUDA_VTIME": "1", "FAKE_NCCL_LATENCY_US": "10", "FAKE_NCCL_GBps": "100",
                                     **variables}))
            self.assertEqual(result.returncode, 0, result.output)
            return without_accidents(result.stdout), rows_of(json.loads(path.read_text()))

    def check(self, name, found):
        path = GOLDEN / name
        if os.environ.get("GOLDEN_UPDATE") == "1":
            path.write_text(found)
        self.assertMultiLineEqual(found, path.read_text())

    def check_run(self, name, *run, **variables):
        table, rows = self.run_on_virtual_time(*run, **variables)
        self.check(f"nccl-{name}.txt", table)
        self.check(f"nccl-{name}.rows", rows)

    def test_processes_one_operation_of_which_is_late(self):
        self.check_run("processes", 2, "all_reduce_perf", *SWEEP, *SAMPLES,
                       FAKE_NCCL_FAULTS="AllReduce#50@1=delay:1")

    def test_a_graph_of_rank_threads_with_statistics(self):
        self.check_run("graph", 1, "reduce_scatter_perf", "-t", "3", "-G", "2", "--stats", *SWEEP, *SAMPLES)

    def test_a_host_that_holds_up_its_gpus(self):
        self.check_run("host-bound", 1, "all_reduce_perf", "-g", "2", "-b", "8", "-e", "8M", "-f", "1024", *SAMPLES,
                       FAKE_CUDA_CALL_US="15")

    def test_operations_alone_and_single_iterations(self):
        self.check_run("isolated", 1, "all_gather_perf", "-t", "4", "-z", "1", "-I", "1", "-K", "2", "-n", "20", "-w", "2",
                       *SWEEP)

    def test_every_collective_in_nccl_tests_own_table(self):
        tables = ""
        for collective in ALL_ON_ONE_PAGE:
            table, _ = self.run_on_virtual_time(1, f"{collective}_perf", "-t", "4", "--nccl-compat", "-b", "4M", "-e", "4M")
            tables += table
        self.check("nccl-collectives.txt", tables)


if __name__ == "__main__":
    unittest.main()
