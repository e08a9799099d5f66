# SPDX-License-Identifier: Apache-2.0
# What a plan says that ranks send, and what their logs say they sent, in one form to be compared.

import dataclasses
import re

import backends
import launch
import operation_log

SIZES = {"int8": 1, "uint8": 1, "half": 2, "bfloat16": 2, "float": 4, "int64": 8}
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
# What counts a block of each rank, where the message is all of them.
BLOCKS = ("all_gather", "reduce_scatter", "alltoall")
REDUCING = ("all_reduce", "reduce_scatter", "reduce")
SIZE = r"([\d.]+) (B|KiB|MiB|GiB)"
# By a matrix, the bytes of the rank stand behind those of the busiest one.
MESSAGE = re.compile(rf"(\w+) (\w+(?: pair)?)(?:(?:->|<-)(\d+))? {SIZE} (\w+)(?: (sum|max))?"
                     rf"(?:, max/mean [\d.]+, {SIZE} out, {SIZE} in)?")


@dataclasses.dataclass
class Message:
    operation: str
    group: str  # the axis of a plan, the communicator of a log
    size_bytes: float
    type: str
    op: str | None  # the reduction as the library is told it

    def what(self):
        """All but where, and but the size, which a plan's page rounds."""
        return self.operation, self.type, self.op


def reduction_as_issued(operation, type_, reduction):
    if operation not in REDUCING:
        return None
    issued_one, = operation_log.as_issued(operation_log.Operation(operation, type_, 1, reduction))
    return issued_one.reduction


def size_of(match):
    sizes = [(match[8], match[9]), (match[10], match[11])] if match[8] else [(match[4], match[5])]
    return max(float(number) * UNITS[unit] for number, unit in sizes)


def planned(program, ranks, flags):
    """{first rank of a class: its groups of messages}, as --dry-run --operations lists them."""
    shown = launch.run_program(program, *flags, "--ranks", ranks, "--dry-run", "--operations")
    classes, current = {}, None
    for line in shown.stdout.split("# sound:")[1].splitlines():
        head = re.match(r"# .*: \d+ ranks? from rank (\d+), ", line)
        if head:
            current = classes.setdefault(int(head[1]), [])
        elif re.match(r" +\d+  ", line):
            # Two ranks of a pair have a communicator of their own.
            what = line[29:].split("  [")[0]
            messages = [Message(as_logged(m[1]), m[2] + (m[3] if "pair" in m[2] else ""), size_of(m), m[6],
                                reduction_as_issued(m[1], m[6], m[7] or "sum"))
                        for m in MESSAGE.finditer(what) if m[6] in SIZES]
            if messages and "compute" not in line[29:38]:
                current.append(messages)
    return classes


def as_logged(operation):
    """NCCL makes sends and receives of both."""
    return "alltoall" if operation == "alltoallv" and backends.name() != "mpi" else operation


def issued(groups):
    """The log of a rank in the same form, with the communicator for the axis."""
    types = {"uint16": "bfloat16"} if backends.name() == "mpi" else {}
    form = []
    for group in operation_log.without_alignment(groups):
        if group and backends.name() != "mpi":
            group = whole_alltoall(group)
        form.append([Message(op.op, op.communicator, blocks_of(op) * SIZES[types.get(op.type, op.type)],
                             types.get(op.type, op.type), op.reduction) for op in group])
    return form


def blocks_of(op):
    """Elements of all blocks; of an alltoallv what the rank sends or receives, whichever is more."""
    if isinstance(op.count, tuple):
        return max(sum(op.count), sum(op.received_count))
    return op.count * (len(op.ranks) if op.op in BLOCKS else 1)


def whole_alltoall(group):
    """NCCL has an all-to-all as sends and receives of each rank; nothing else has a rank send to itself."""
    if not any(op.op == "send" and op.peer == op.rank for op in group):
        return group
    sent, received = (tuple(op.count for op in group if op.op == way) for way in ("send", "recv"))
    return [operation_log.replace(group[0], op="alltoall", count=sent, received_count=received)]
