# SPDX-License-Identifier: Apache-2.0
# What really reached the communication library in a run: every operation of every rank, in the order of its issue.
"""Logs by whoever stands in the library's place: tests/preload/mpi_log.cpp, or the fake NCCL.

result, groups_of = run(3, "sendrecv_perf", "-b", "64", "-e", "64")
groups_of[1][0]   -> [Operation("send", ...), Operation("recv", ...)], the first fused group of rank 1

What a backend makes of an operation is as_issued(); what aligns ranks is taken away by without_alignment().
"""

import json
import pathlib
import tempfile
from dataclasses import dataclass, replace

import backends
import launch


@dataclass(frozen=True)
class Operation:
    """One call of the library. Ranks are those of the communicator but in `ranks`."""

    op: str  # all_reduce, all_gather, reduce_scatter, broadcast, reduce, alltoall(v), gather, scatter, send, recv
    type: str  # as the library was told: see as_issued
    count: int | tuple  # elements of a block; of an alltoallv what is sent to each rank
    reduction: str | None = None  # sum, prod, max, min, avg, mulsum; user: a function of the program's
    peer: int | None = None
    root: int | None = None
    received_count: tuple | None = None  # of an alltoallv: from each rank
    ranks: tuple = ()  # the communicator's members in order, as ranks of the run
    rank: int = 0  # who has issued it
    communicator: int = 0  # on this rank, numbered by first use: tells apart those with the same members


def run(ranks, program, *args):
    """(Result, {rank: its groups}) of a run on the backend under test."""
    with tempfile.TemporaryDirectory(prefix="operations-") as folder:
        result = launch.run_ranks(ranks, program, *args, env=variables(folder))
        return result, read(folder)


def variables(folder):
    """What has a run on the backend under test log into a folder, which must be there and empty."""
    if backends.name() == "mpi":
        return {"LD_PRELOAD": str(launch.BUILD / "tests/libmpi_log.so"), "MPI_LOG": str(folder)}
    return {"FAKE_NCCL_LOG": str(folder)}


def read(folder):
    """{rank: [[Operation, ...], ...]} of the ranks that have issued any."""
    return {int(path.stem.removeprefix("rank-")): groups_in(path.read_text())
            for path in sorted(pathlib.Path(folder).glob("rank-*.jsonl"))}


def groups_in(text):
    groups = {}
    for line in text.splitlines():
        fields = {name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(line).items()}
        groups.setdefault(fields.pop("group"), []).append(Operation(**fields))
    return list(groups.values())


def without_alignment(groups):
    """A rank's groups without those communicators on which nothing but one-byte messages went: these only start ranks
    at one time."""
    used = {op.communicator for group in groups for op in group
            if (op.type, op.count) != ("int8", 1) or op.peer is None}
    kept = ([op for op in group if op.communicator in used] for group in groups)
    return [group for group in kept if group]


def as_issued(operation):
    """The calls that the backend under test makes of an operation which is named by collbench's types and reductions.
    Large messages apart, which hosts take to pieces."""
    return _by_mpi(operation) if backends.name() == "mpi" else _by_nccl(operation)


# Types that MPI does not know are moved as others and reduced by functions of our own.
_CARRIERS_OF_MPI = {"half": "uint16", "bfloat16": "uint16", "f8e4m3": "uint8", "f8e5m2": "uint8"}
_CARRIERS_OF_NCCL = {"f8e4m3": "uint8", "f8e5m2": "uint8"}


def _by_mpi(operation):
    carried = operation.type in _CARRIERS_OF_MPI
    reduction = {"avg": "sum", "mulsum": "sum"}.get(operation.reduction, operation.reduction)
    # Releases of MPI take the largest of unsigned numbers wrongly: see src/comm/mpi/mpi_types.h.
    own_order = operation.type in ("uint8", "uint32", "uint64") and reduction in ("max", "min")
    if reduction is not None and (carried or own_order):
        reduction = "user"
    return [replace(operation, type=_CARRIERS_OF_MPI.get(operation.type, operation.type), reduction=reduction)]


def _by_nccl(operation):
    if operation.reduction is None:
        operation = replace(operation, type=_CARRIERS_OF_NCCL.get(operation.type, operation.type))
    peers = range(len(operation.ranks))
    at_root = operation.rank == operation.root
    if operation.op == "alltoall":
        return [_message(operation, op, peer, operation.count) for peer in peers for op in ("send", "recv")]
    if operation.op == "alltoallv":
        pairs = zip(peers, operation.count, operation.received_count)
        both = (((peer, "send", sent), (peer, "recv", received)) for peer, sent, received in pairs)
        return [_message(operation, op, peer, count) for pair in both for peer, op, count in pair if count]
    if operation.op == "gather":
        received = [_message(operation, "recv", peer, operation.count) for peer in peers if at_root]
        return [_message(operation, "send", operation.root, operation.count), *received]
    if operation.op == "scatter":
        sent = [_message(operation, "send", peer, operation.count) for peer in peers if at_root]
        return [*sent, _message(operation, "recv", operation.root, operation.count)]
    return [operation]


def _message(operation, op, peer, count):
    return replace(operation, op=op, peer=peer, count=count, root=None, received_count=None)
