// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/mpi_calls.h"

#include <fmt/format.h>

#include <cstring>

#include "base/errors.h"
#include "comm/mpi/host_scaling.h"
#include "comm/mpi/mpi_error.h"
#include "comm/mpi/scaled_sum.h"

namespace collbench {
namespace {

// Messages of two ranks match in the order of their calls. Those that collectives are made of are
// apart: only among collectives is the order the same on all ranks.
constexpr int kTag = 0;
constexpr int kTagInCollectives = 1;

// Whether this rank ends with a reduction.
bool has_reduction(const Call& call, const CallContext& context) {
  return call.kind == CallKind::all_reduce || call.kind == CallKind::reduce_scatter ||
         (call.kind == CallKind::reduce && context.rank == call.root);
}

const void* own_block(const void* blocks, const Call& call, const CallContext& context) {
  return static_cast<const std::byte*>(blocks) +
         static_cast<Bytes>(context.rank) * block_bytes(call);
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
void make(const Call& call, const CallContext& context, MPI_Request* request, int tag = kTag) {
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
          "MPI_Send", request, a.send, a.count, a.type, call.peer, tag, comm);
    case CallKind::recv:
      return call_mpi<receive, COLLBENCH_MPI_C(MPI_Irecv)>("MPI_Recv", request, a.recv, a.count,
                                                           a.type, call.peer, tag, comm);
    case CallKind::all_to_all_v:
      break;
  }
}

void make_with_copied_input(const Call& call, const CallContext& context) {
  const ScratchMemory::Lease scratch = context.scratch->lend(block_bytes(call));
  std::memcpy(scratch.get(), call.send, block_bytes(call));
  Call copied = call;
  copied.send = scratch.get();
  make(copied, context, nullptr);
}

void run_as_messages(const Call& call, const CallContext& context) {
  std::vector<MPI_Request> requests;
  start_messages(call, context, requests);
  COLLBENCH_MPI_CHECK(
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

void run_whole(const Call& call, const CallContext& context) {
  if (is_scaled_sum(call)) {
    ScratchMemory::Lease scratch;
    return run_whole(scale_for_sum(call, context, scratch), context);
  }
  if (call.kind == CallKind::all_to_all_v) {
    all_to_all_v(call, context, peer_counts_of(call, context), nullptr);
  } else if (crashes(call, context)) {
    make_with_copied_input(call, context);
  } else {
    make(call, context, nullptr);
  }
  finish(call, context);
}

void run_large(const Call& call, const CallContext& context) {
  switch (form_of(call, context.size, /*nonblocking=*/false, context.limits)) {
    case CallForm::whole:
      return run_whole(call, context);
    case CallForm::pieces:
      for (const Call& piece : pieces_of(call, context.limits)) run_whole(piece, context);
      return;
    case CallForm::messages:
      return run_as_messages(call, context);
    case CallForm::impossible:
      throw SystemError(why_impossible(call, context.limits));
  }
}

}  // namespace

bool is_collective(const Call& call) {
  return call.kind != CallKind::send && call.kind != CallKind::recv;
}

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
  if (call.count > context.always_whole) return run_large(call, context);
  run_whole(call, context);
}

void start_messages(const Call& call, const CallContext& context,
                    std::vector<MPI_Request>& requests) {
  for (const Call& message : messages_of(call, context.rank, context.size)) {
    for (const Call& piece : pieces_of(message, context.limits)) {
      make(piece, context, &requests.emplace_back(MPI_REQUEST_NULL), kTagInCollectives);
    }
  }
  const Buffers own = own_block_of(call, context.rank);
  if (own.send != own.recv) std::memcpy(own.recv, own.send, block_bytes(call));
}

MPI_Request start(Call& call, const CallContext& context, CallMemory& memory) {
  if (is_scaled_sum(call)) call = scale_for_sum(call, context, memory.scratch);
  MPI_Request request = MPI_REQUEST_NULL;
  if (call.kind == CallKind::all_to_all_v) {
    memory.counts = peer_counts_of(call, context);
    all_to_all_v(call, context, memory.counts, &request);
  } else {
    make(call, context, &request);
  }
  return request;
}

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

}  // namespace collbench
