# SPDX-License-Identifier: Apache-2.0
# Sweeps issue exactly the operations that they say: independent logs of the library, on every backend.
import unittest
from dataclasses import replace

import launch
import operation_log
from backends import only_on
from operation_log import Operation

# Three operations in one sample, and before it one: the deadline of several needs an estimate.
FLAGS = ("-b", "64", "-e", "64", "-n", "3", "-w", "0", "-c", "0")
OPERATIONS = 4


class OperationLog(unittest.TestCase):
    def logged(self, ranks, program, *flags):
        """The groups of every rank in a run that must end well."""
        result, groups_of = operation_log.run(ranks, program, *flags)
        self.assertEqual(result.returncode, 0, result.output)
        self.assertEqual(sorted(groups_of), list(range(ranks)))
        return groups_of

    def check(self, program, operations_of, *flags, placements=2, rank_counts=launch.rank_counts()):
        """A sweep on each number of ranks. `operations_of(ranks, rank)`: those that one call of it is, in a group."""
        for ranks in rank_counts:
            with self.subTest(program=program, ranks=ranks, flags=flags):
                groups_of = self.logged(ranks, program, *FLAGS, *flags)
                for rank, groups in groups_of.items():
                    placed = [replace(op, ranks=tuple(range(ranks)), rank=rank) for op in operations_of(ranks, rank)]
                    issued = [call for op in placed for call in operation_log.as_issued(op)]
                    self.assertEqual(groups, [issued] * OPERATIONS * placements, f"rank {rank}")

    def test_all_reduce(self):
        self.check("all_reduce_perf", lambda ranks, rank: [Operation("all_reduce", "float", 16, "sum")])

    def test_sendrecv(self):
        self.check("sendrecv_perf", lambda ranks, rank: [
            Operation("send", "float", 16, peer=(rank + 1) % ranks),
            Operation("recv", "float", 16, peer=(rank - 1) % ranks)], placements=1)

    def test_alltoall(self):
        # Blocks are cut to multiples of 16 bytes.
        self.check("alltoall_perf", lambda ranks, rank: [Operation("alltoall", "int32", 64 // ranks // 16 * 4)],
                   "-d", "int32", placements=1)

    def test_rooted(self):
        for program, operation in (("reduce_perf", Operation("reduce", "double", 8, "max")),
                                   ("broadcast_perf", Operation("broadcast", "double", 8))):
            reduction = ("-o", operation.reduction) if operation.reduction else ()
            for root in (0, 1):
                self.check(program, lambda ranks, rank, op=operation, root=root: [replace(op, root=root)],
                           "-d", "double", *reduction, "-r", str(root), rank_counts=launch.rank_counts()[root:])

    def test_blocks_at_a_root(self):
        for op in ("gather", "scatter"):
            self.check(f"{op}_perf", lambda ranks, rank, op=op: [
                Operation(op, "float", 64 // ranks // 16 * 4, root=1)], "-r", "1", rank_counts=launch.rank_counts()[1:])

    def test_each_rank_with_its_own_count(self):
        ranks = 2
        groups_of = self.logged(ranks, "alltoallv_perf", "-b", "256", "-e", "256", *FLAGS[4:])
        self.assertEqual({len(groups) for groups in groups_of.values()}, {OPERATIONS})
        sent, received = (self.counts(groups_of, direction) for direction in ("send", "recv"))
        self.assertEqual(sent, {(b, a): count for (a, b), count in received.items()})
        self.assertGreater(sum(sent.values()), 0)

    @staticmethod
    def counts(groups_of, direction):
        """{(rank, peer): elements} of the first group."""
        counts = {}
        for rank, groups in groups_of.items():
            for op in groups[0]:
                if op.op == "alltoallv":
                    of_peers = op.count if direction == "send" else op.received_count
                    counts.update({(rank, peer): count for peer, count in enumerate(of_peers) if count})
                elif op.op == direction:
                    counts[rank, op.peer] = op.count
        return counts

    def test_types_and_reductions_as_the_library_is_told(self):
        for data_type, reduction in (("bfloat16", "avg"), ("uint8", "max"), ("int64", "mulsum"), ("half", "prod")):
            operation = Operation("all_reduce", data_type, 64 // {"uint8": 1, "int64": 8}.get(data_type, 2), reduction)
            self.check("all_reduce_perf", lambda ranks, rank, op=operation: [op],
                       "-d", data_type, "-o", reduction, rank_counts=(2,))

    def test_fused_operations_are_one_group(self):
        self.check("all_reduce_perf", lambda ranks, rank: [Operation("all_reduce", "float", 16, "sum")] * 3,
                   "-m", "3", rank_counts=(2,))

    def test_members_are_ranks_of_the_run(self):
        groups_of = self.logged(4, "all_reduce_perf", *FLAGS, "--split", "MOD 2")
        for rank, groups in groups_of.items():
            expected = Operation("all_reduce", "float", 16, "sum", ranks=(rank % 2, rank % 2 + 2), rank=rank // 2)
            self.assertEqual(groups, [[expected]] * OPERATIONS * 2)

    def test_what_aligns_ranks_is_on_a_communicator_of_its_own(self):
        groups_of = self.logged(3, "all_reduce_perf", *FLAGS, "-z", "1")
        for groups in groups_of.values():
            calls = operation_log.without_alignment(groups)
            self.assertLess(len(calls), len(groups))
            self.assertEqual({op.op for group in calls for op in group}, {"all_reduce"})
            self.assertEqual({op.communicator for group in calls for op in group}, {calls[0][0].communicator})


@only_on("mpi")
class Reader(unittest.TestCase):
    def test_groups_are_told_by_their_number(self):
        line = '{"group": %d, "op": "send", "type": "int8", "count": 1, "peer": 1, "ranks": [0, 2]}\n'
        message = Operation("send", "int8", 1, peer=1, ranks=(0, 2))
        self.assertEqual(operation_log.groups_in(line % 0 + line % 0 + line % 1), [[message, message], [message]])


if __name__ == "__main__":
    unittest.main()
