// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/call_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace collbench {
namespace {

const std::byte* moved(const void* data, Bytes bytes) {
  return static_cast<const std::byte*>(data) + bytes;
}
std::byte* moved(void* data, Bytes bytes) { return static_cast<std::byte*>(data) + bytes; }

// The largest number in a call's arguments.
Count largest_argument(const Call& call) {
  if (call.kind != CallKind::all_to_all_v) return call.count;
  Count largest = 0;
  const PeerCounts& counts = *call.counts;
  for (const auto* numbers : {&counts.send, &counts.send_first, &counts.recv, &counts.recv_first}) {
    for (const Count number : *numbers) largest = std::max(largest, number);
  }
  return largest;
}

// Whether the library can add up what it adds up inside such a call.
bool can_add_up(const Call& call, int ranks, bool nonblocking, const CallLimits& limits) {
  const Count sum = nonblocking ? limits.nonblocking_sum : limits.sum;
  const auto blocks = static_cast<Count>(ranks);
  switch (call.kind) {
    case CallKind::all_reduce:
    case CallKind::reduce:
      return call.count <= sum;
    case CallKind::reduce_scatter:
      return call.count <= sum / blocks;
    case CallKind::gather:
    case CallKind::scatter:
      return block_bytes(call) <= sum / blocks;
    case CallKind::all_gather:  // the blocking forms of this and the next two are right in MPICH
      return !nonblocking || block_bytes(call) <= sum / blocks;
    case CallKind::all_to_all:
    case CallKind::broadcast:
      return !nonblocking || block_bytes(call) <= sum;
    case CallKind::all_to_all_v:
    case CallKind::send:
    case CallKind::recv:
      return true;
  }
  return true;
}

}  // namespace

Count always_whole(const CallLimits& limits, int ranks) {
  constexpr Bytes kLargestElement = 8;
  const Count sum = std::min(limits.sum, limits.nonblocking_sum);
  return std::min(limits.count, sum / static_cast<Count>(ranks) / kLargestElement);
}

CallForm form_of(const Call& call, int ranks, bool nonblocking, const CallLimits& limits) {
  if (largest_argument(call) <= limits.count && can_add_up(call, ranks, nonblocking, limits)) {
    return CallForm::whole;
  }
  switch (call.kind) {
    case CallKind::all_reduce:
    case CallKind::reduce:
    case CallKind::broadcast:
    case CallKind::send:
    case CallKind::recv:
      return CallForm::pieces;
    case CallKind::all_gather:
    case CallKind::all_to_all:
    case CallKind::gather:
    case CallKind::scatter:
      return CallForm::messages;
    case CallKind::reduce_scatter:  // pieces of all blocks do not lie side by side
    case CallKind::all_to_all_v:    // ranks might disagree on the form
      return CallForm::impossible;
  }
  return CallForm::impossible;
}

std::string why_impossible(const Call& call, const CallLimits& limits) {
  if (call.kind == CallKind::reduce_scatter) {
    return fmt::format(
        "this MPI library counts at most {} elements in a reduce-scatter; take a larger type (-d)",
        std::min({limits.count, limits.sum, limits.nonblocking_sum}));
  }
  return fmt::format(
      "this MPI library counts at most {} elements in one call; take a larger type (-d), or build "
      "with a library of MPI 4.0 or newer",
      limits.count);
}

std::vector<Call> pieces_of(const Call& call, const CallLimits& limits) {
  const Bytes each = size_of(call.type);
  const Count most = std::min(std::max<Count>(limits.piece_bytes / each, 1), limits.count);
  std::vector<Call> pieces;
  for (Count first = 0; first < call.count; first += most) {
    Call piece = call;
    piece.count = std::min(most, call.count - first);
    if (call.send != nullptr) piece.send = moved(call.send, first * each);
    if (call.recv != nullptr) piece.recv = moved(call.recv, first * each);
    pieces.push_back(piece);
  }
  return pieces;
}

std::vector<Call> messages_of(const Call& call, int rank, int ranks) {
  const bool is_gather = call.kind == CallKind::gather;
  const bool is_scatter = call.kind == CallKind::scatter;
  const bool is_root = rank == call.root;
  const bool sends_blocks = is_scatter || call.kind == CallKind::all_to_all;
  const auto block_of = [&](int peer) { return block_bytes(call) * static_cast<Bytes>(peer); };
  std::vector<Call> messages;
  for (int step = 1; step < ranks; ++step) {  // so that not all send to one rank first
    const int to = (rank + step) % ranks;
    const int from = (rank + ranks - step) % ranks;
    if (is_scatter ? from == call.root : !is_gather || is_root) {
      void* const data = moved(call.recv, is_scatter ? 0 : block_of(from));
      messages.push_back(recv(data, call.count, call.type, from));
    }
    if (is_gather ? to == call.root : !is_scatter || is_root) {
      const void* const data = moved(call.send, sends_blocks ? block_of(to) : 0);
      messages.push_back(send(data, call.count, call.type, to));
    }
  }
  return messages;
}

Buffers own_block_of(const Call& call, int rank) {
  const bool is_rooted = call.kind == CallKind::gather || call.kind == CallKind::scatter;
  if (is_rooted && rank != call.root) return {nullptr, nullptr};
  const Bytes mine = block_bytes(call) * static_cast<Bytes>(rank);
  const bool sends_blocks = call.kind == CallKind::scatter || call.kind == CallKind::all_to_all;
  const bool receives_blocks = call.kind != CallKind::scatter;
  return {moved(call.send, sends_blocks ? mine : 0), moved(call.recv, receives_blocks ? mine : 0)};
}

Bytes extra_bytes(const Call& call, int ranks, CallForm form, const CallLimits& limits) {
  if (ranks == 1 || form == CallForm::messages || form == CallForm::impossible) return 0;
  const Bytes block = block_bytes(call);
  const Bytes all_blocks = block * static_cast<Bytes>(ranks);
  const Bytes most = form == CallForm::pieces ? std::min(block, limits.piece_bytes) : block;
  const bool is_scaled = call.op == ReduceOp::mulsum;  // into memory of its own
  switch (call.kind) {
    case CallKind::all_reduce:
      return most;
    case CallKind::reduce_scatter:
      return is_scaled ? block + all_blocks : block;
    case CallKind::reduce:  // a rank within the tree holds its partial result, too
      return is_scaled ? 3 * most : 2 * most;
    case CallKind::gather:
    case CallKind::scatter:  // a rank within the tree holds the blocks of its branch
      return all_blocks / 2;
    default:
      return 0;
  }
}

}  // namespace collbench
