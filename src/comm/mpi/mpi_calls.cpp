// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/mpi_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/errors.h"
#include "comm/mpi/host_arithmetic.h"
#include "comm/mpi/mpi_error.h"

namespace collbench {
namespace {

constexpr int kTag = 0;  // messages of two ranks match in the order of their calls

bool is_collective(const Call& call) {
  return call.kind != CallKind::send && call.kind != CallKind::recv;
}

// Whether this rank ends with a reduction.
bool has_reduction(const Call& call, const CallContext& context) {
  return call.kind == CallKind::all_reduce || call.kind == CallKind::reduce_scatter ||
         (call.kind == CallKind::reduce && context.rank == call.root);
}

Bytes block_bytes(const Call& call) { return call.count * size_of(call.type); }

const void* own_block(const void* blocks, const Call& call, const CallContext& context) {
  return static_cast<const std::byte*>(blocks) +
         static_cast<Bytes>(context.rank) * block_bytes(call);
}

// Whether MPI must be told so. Of reduce, gather and scatter it wants to know at the root only: the
// other ranks have one buffer.
bool is_in_place(const Call& call, const CallContext& context) {
  const bool is_root = context.rank == call.root;
  switch (call.kind) {
    case CallKind::all_reduce:
      return call.send == call.recv;
    case CallKind::all_gather:
      return call.send == own_block(call.recv, call, context);
    case CallKind::reduce_scatter:
      return call.recv == own_block(call.send, call, context);
    case CallKind::reduce:
      return is_root && call.send == call.recv;
    case CallKind::gather:
      return is_root && call.send == own_block(call.recv, call, context);
    case CallKind::scatter:
      return is_root && call.recv == own_block(call.send, call, context);
    case CallKind::all_to_all:
    case CallKind::all_to_all_v:
    case CallKind::broadcast:
    case CallKind::send:
    case CallKind::recv:
      return false;
  }
  return false;
}

// The arguments of a call as MPI wants them.
struct Arguments {
  const void* send;
  void* recv;
  MpiCount count;
  MPI_Datatype type;
  MPI_Op op;
};

Arguments arguments_of(const Call& call, const CallContext& context) {
  Arguments a{call.send, call.recv, mpi_count(call.count), context.types->type(call.type),
              context.types->op(call.type, call.op)};
  if (is_in_place(call, context)) {
    // Reduce-scatter in place has its input where others have the result.
    if (call.kind == CallKind::reduce_scatter) a.recv = const_cast<void*>(call.send);
    if (call.kind == CallKind::scatter) {
      a.recv = MPI_IN_PLACE;
    } else {
      a.send = MPI_IN_PLACE;
    }
  } else if (call.kind == CallKind::broadcast && context.rank == call.root) {
    a.recv = const_cast<void*>(call.send);  // MPI's broadcast has one buffer
  }
  return a;
}

// MPICH's blocking reduce of more than 2 KiB crashes at a root that works in place and is not rank
// 0 (its issue 6540, mended by 4.2). The root sends from a copy then, which is what the mended ones
// do inside. Its nonblocking reduce is right.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40200300
constexpr bool kRootsReduceInPlace = false;
#else
constexpr bool kRootsReduceInPlace = true;
#endif

bool crashes(const Call& call, const CallContext& context) {
  return !kRootsReduceInPlace && call.kind == CallKind::reduce && call.root != 0 &&
         call.count != 0 && is_in_place(call, context);
}

Call with_copied_input(const Call& call, const CallContext& context) {
  const auto* data = static_cast<const std::byte*>(call.send);
  context.scratch->assign(data, data + block_bytes(call));
  Call copied = call;
  copied.send = context.scratch->data();
  return copied;
}

MpiPeerCounts peer_counts_of(const Call& call, const CallContext& context) {
  const PeerCounts& counts = *call.counts;
  const auto convert = [&](const std::vector<Count>& numbers, auto& to) {
    if (numbers.size() != static_cast<std::size_t>(context.size)) {
      throw SystemError(fmt::format("all_to_all_v: {} counts for {} ranks of the communicator",
                                    numbers.size(), context.size));
    }
    for (const Count number : numbers) to.push_back(mpi_count(number));
  };
  MpiPeerCounts c;
  convert(counts.send, c.send);
  convert(counts.send_first, c.send_first);
  convert(counts.recv, c.recv);
  convert(counts.recv_first, c.recv_first);
  return c;
}

// What MPI leaves to do when the call has ended.
//
// MPI puts the result of a reduce-scatter in place at the start of the buffer (and may overwrite
// all of it), not into the rank's own block; moving it there is part of what the operation costs.
// So is the root's copy of what it broadcasts.
void finish(const Call& call, const CallContext& context) {
  if (call.kind == CallKind::reduce_scatter && call.count != 0 && context.rank != 0 &&
      is_in_place(call, context)) {
    std::memcpy(call.recv, call.send, block_bytes(call));
  }
  if (call.kind == CallKind::broadcast && call.count != 0 && context.rank == call.root &&
      call.send != call.recv) {
    std::memcpy(call.recv, call.send, block_bytes(call));
  }
  if (call.op == ReduceOp::avg && has_reduction(call, context)) {
    divide(call.recv, call.count, call.type, context.size);
  }
}

// The blocking form of a call, or the nonblocking one where there is a request to fill.
template <auto Blocking, auto Nonblocking, class... Arguments>
void call_mpi(const char* name, MPI_Request* request, Arguments... arguments) {
  const int code = request == nullptr ? Blocking(arguments...) : Nonblocking(arguments..., request);
  if (code != MPI_SUCCESS) throw_mpi_error(code, {name, __FILE__, __LINE__});
}

// The nonblocking form has no status.
int receive(void* data, MpiCount count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  return COLLBENCH_MPI_C(MPI_Recv)(data, count, type, peer, tag, comm, MPI_STATUS_IGNORE);
}

void all_to_all_v(const Call& call, const CallContext& context, const MpiPeerCounts& counts,
                  MPI_Request* request) {
  const MPI_Datatype type = context.types->type(call.type);
  call_mpi<COLLBENCH_MPI_C(MPI_Alltoallv), COLLBENCH_MPI_C(MPI_Ialltoallv)>(
      "MPI_Alltoallv", request, call.send, counts.send.data(), counts.send_first.data(), type,
      call.recv, counts.recv.data(), counts.recv_first.data(), type, context.comm);
}

// Everything but all_to_all_v.
void make(const Call& call, const CallContext& context, MPI_Request* request) {
  const Arguments a = arguments_of(call, context);
  const MPI_Comm comm = context.comm;
  switch (call.kind) {
    case CallKind::all_reduce:
      return call_mpi<COLLBENCH_MPI_C(MPI_Allreduce), COLLBENCH_MPI_C(MPI_Iallreduce)>(
          "MPI_Allreduce", request, a.send, a.recv, a.count, a.type, a.op, comm);
    case CallKind::all_gather:
      return call_mpi<COLLBENCH_MPI_C(MPI_Allgather), COLLBENCH_MPI_C(MPI_Iallgather)>(
          "MPI_Allgather", request, a.send, a.count, a.type, a.recv, a.count, a.type, comm);
    case CallKind::reduce_scatter:
      return call_mpi<COLLBENCH_MPI_C(MPI_Reduce_scatter_block),
                      COLLBENCH_MPI_C(MPI_Ireduce_scatter_block)>(
          "MPI_Reduce_scatter_block", request, a.send, a.recv, a.count, a.type, a.op, comm);
    case CallKind::all_to_all:
      return call_mpi<COLLBENCH_MPI_C(MPI_Alltoall), COLLBENCH_MPI_C(MPI_Ialltoall)>(
          "MPI_Alltoall", request, a.send, a.count, a.type, a.recv, a.count, a.type, comm);
    case CallKind::broadcast:
      return call_mpi<COLLBENCH_MPI_C(MPI_Bcast), COLLBENCH_MPI_C(MPI_Ibcast)>(
          "MPI_Bcast", request, a.recv, a.count, a.type, call.root, comm);
    case CallKind::reduce:
      return call_mpi<COLLBENCH_MPI_C(MPI_Reduce), COLLBENCH_MPI_C(MPI_Ireduce)>(
          "MPI_Reduce", request, a.send, a.recv, a.count, a.type, a.op, call.root, comm);
    case CallKind::gather:
      return call_mpi<COLLBENCH_MPI_C(MPI_Gather), COLLBENCH_MPI_C(MPI_Igather)>(
          "MPI_Gather", request, a.send, a.count, a.type, a.recv, a.count, a.type, call.root, comm);
    case CallKind::scatter:
      return call_mpi<COLLBENCH_MPI_C(MPI_Scatter), COLLBENCH_MPI_C(MPI_Iscatter)>(
          "MPI_Scatter", request, a.send, a.count, a.type, a.recv, a.count, a.type, call.root,
          comm);
    case CallKind::send:
      return call_mpi<COLLBENCH_MPI_C(MPI_Send), COLLBENCH_MPI_C(MPI_Isend)>(
          "MPI_Send", request, a.send, a.count, a.type, call.peer, kTag, comm);
    case CallKind::recv:
      return call_mpi<receive, COLLBENCH_MPI_C(MPI_Irecv)>("MPI_Recv", request, a.recv, a.count,
                                                           a.type, call.peer, kTag, comm);
    case CallKind::all_to_all_v:
      break;
  }
}

}  // namespace

void check_ranks(const Call& call, const CallContext& context) {
  const auto refuse_other_than = [&](std::string_view what, int rank) {
    if (rank >= 0 && rank < context.size) return;
    throw SystemError(fmt::format("{} rank {}: the communicator has the ranks 0 to {}", what, rank,
                                  context.size - 1));
  };
  switch (call.kind) {
    case CallKind::send:
      return refuse_other_than("send to", call.peer);
    case CallKind::recv:
      return refuse_other_than("receive from", call.peer);
    case CallKind::broadcast:
      return refuse_other_than("broadcast from", call.root);
    case CallKind::reduce:
      return refuse_other_than("reduce to", call.root);
    case CallKind::gather:
      return refuse_other_than("gather to", call.root);
    case CallKind::scatter:
      return refuse_other_than("scatter from", call.root);
    default:  // these name no rank
      return;
  }
}

void run_blocking(const Call& call, const CallContext& context) {
  check_ranks(call, context);
  if (call.kind == CallKind::all_to_all_v) {
    all_to_all_v(call, context, peer_counts_of(call, context), nullptr);
  } else if (crashes(call, context)) {
    make(with_copied_input(call, context), context, nullptr);
  } else {
    make(call, context, nullptr);
  }
  finish(call, context);
}

void FusedGroup::assign(std::span<const Call> calls, const CallContext& context) {
  context_ = context;
  calls_.assign(calls.begin(), calls.end());
  requests_.clear();
  counts_.clear();
}

void FusedGroup::start() {
  for (const Call& call : calls_) start(call);
}

void FusedGroup::start(const Call& call) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (call.kind == CallKind::all_to_all_v) {
    counts_.push_back(peer_counts_of(call, context_));
    all_to_all_v(call, context_, counts_.back(), &request);
  } else {
    make(call, context_, &request);
  }
  requests_.push_back(request);
}

void FusedGroup::start_with_blocking_collective() {
  if (std::count_if(calls_.begin(), calls_.end(), is_collective) != 1) return start();
  const auto collective = std::find_if(calls_.begin(), calls_.end(), is_collective);
  std::rotate(collective, collective + 1, calls_.end());
  for (const Call& call : std::span(calls_).first(calls_.size() - 1)) start(call);
  run_blocking(calls_.back(), context_);
  calls_.pop_back();
}

bool FusedGroup::test() {
  int done = 0;
  COLLBENCH_MPI_CHECK(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                                  MPI_STATUSES_IGNORE));
  if (done != 0) finish();
  return done != 0;
}

void FusedGroup::wait() {
  COLLBENCH_MPI_CHECK(
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  finish();
}

void FusedGroup::finish() {
  for (const Call& call : calls_) collbench::finish(call, context_);
}

}  // namespace collbench
