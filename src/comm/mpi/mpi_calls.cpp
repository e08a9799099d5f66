// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/mpi_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/errors.h"
#include "comm/mpi/host_arithmetic.h"
#include "comm/mpi/large_count.h"
#include "comm/mpi/mpi_error.h"

namespace collbench {
namespace {

constexpr int kTag = 0;  // messages of two ranks match in the order of their calls

bool is_collective(const Call& call) {
  return call.kind != CallKind::send && call.kind != CallKind::recv;
}

Bytes block_bytes(const Call& call) { return call.count * size_of(call.type); }

const void* own_block(const void* blocks, const Call& call, const CallContext& context) {
  return static_cast<const std::byte*>(blocks) +
         static_cast<Bytes>(context.rank) * block_bytes(call);
}

bool is_in_place(const Call& call, const CallContext& context) {
  switch (call.kind) {
    case CallKind::all_reduce:
      return call.send == call.recv;
    case CallKind::all_gather:
      return call.send == own_block(call.recv, call, context);
    case CallKind::reduce_scatter:
      return call.recv == own_block(call.send, call, context);
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
    a.send = MPI_IN_PLACE;
  }
  return a;
}

// What MPI leaves to do when the call has ended.
//
// MPI puts the result of a reduce-scatter in place at the start of the buffer (and may overwrite
// all of it), not into the rank's own block; moving it there is part of what the operation costs.
void finish(const Call& call, const CallContext& context) {
  if (call.kind == CallKind::reduce_scatter && call.count != 0 && context.rank != 0 &&
      is_in_place(call, context)) {
    std::memcpy(call.recv, call.send, block_bytes(call));
  }
  if (call.op == ReduceOp::avg && is_collective(call)) {
    divide(call.recv, call.count, call.type, context.size);
  }
}

MPI_Request start(const Call& call, const CallContext& context) {
  const Arguments a = arguments_of(call, context);
  MPI_Request request = MPI_REQUEST_NULL;
  switch (call.kind) {
    case CallKind::all_reduce:
      COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Iallreduce)(a.send, a.recv, a.count, a.type, a.op,
                                                          context.comm, &request));
      break;
    case CallKind::all_gather:
      COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Iallgather)(a.send, a.count, a.type, a.recv, a.count,
                                                          a.type, context.comm, &request));
      break;
    case CallKind::reduce_scatter:
      COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Ireduce_scatter_block)(
          a.send, a.recv, a.count, a.type, a.op, context.comm, &request));
      break;
    case CallKind::send:
      COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Isend)(a.send, a.count, a.type, call.peer, kTag,
                                                     context.comm, &request));
      break;
    case CallKind::recv:
      COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Irecv)(a.recv, a.count, a.type, call.peer, kTag,
                                                     context.comm, &request));
      break;
  }
  return request;
}

}  // namespace

void check_peer(const Call& call, const CallContext& context) {
  if (is_collective(call) || (call.peer >= 0 && call.peer < context.size)) return;
  throw SystemError(fmt::format("{} rank {}: the communicator has the ranks 0 to {}",
                                call.kind == CallKind::send ? "send to" : "receive from", call.peer,
                                context.size - 1));
}

void run_blocking(const Call& call, const CallContext& context) {
  const Arguments a = arguments_of(call, context);
  switch (call.kind) {
    case CallKind::all_reduce:
      COLLBENCH_MPI_CHECK(
          COLLBENCH_MPI_C(MPI_Allreduce)(a.send, a.recv, a.count, a.type, a.op, context.comm));
      break;
    case CallKind::all_gather:
      COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Allgather)(a.send, a.count, a.type, a.recv, a.count,
                                                         a.type, context.comm));
      break;
    case CallKind::reduce_scatter:
      COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Reduce_scatter_block)(a.send, a.recv, a.count, a.type,
                                                                    a.op, context.comm));
      break;
    case CallKind::send:
      check_peer(call, context);
      COLLBENCH_MPI_CHECK(
          COLLBENCH_MPI_C(MPI_Send)(a.send, a.count, a.type, call.peer, kTag, context.comm));
      break;
    case CallKind::recv:
      check_peer(call, context);
      COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Recv)(a.recv, a.count, a.type, call.peer, kTag,
                                                    context.comm, MPI_STATUS_IGNORE));
      break;
  }
  finish(call, context);
}

void FusedGroup::assign(std::span<const Call> calls, const CallContext& context) {
  context_ = context;
  calls_.assign(calls.begin(), calls.end());
  requests_.clear();
}

void FusedGroup::start() {
  for (const Call& call : calls_) requests_.push_back(collbench::start(call, context_));
}

void FusedGroup::start_with_blocking_collective() {
  if (std::count_if(calls_.begin(), calls_.end(), is_collective) != 1) return start();
  const auto collective = std::find_if(calls_.begin(), calls_.end(), is_collective);
  std::rotate(collective, collective + 1, calls_.end());
  for (const Call& call : std::span(calls_).first(calls_.size() - 1)) {
    requests_.push_back(collbench::start(call, context_));
  }
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
