// SPDX-License-Identifier: Apache-2.0
// One operation of a communicator as a plain value, and named functions that make each kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/data_type.h"
#include "base/reduce_op.h"

namespace collbench {

enum class CallKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  all_to_all_v,
  broadcast,
  reduce,
  gather,
  scatter,
  send,
  recv,
};

/// What a rank exchanges with each rank, itself included, in an all_to_all_v: so many elements,
/// which lie in the buffer from this element on.
struct PeerCounts {
  std::vector<Count> send, send_first, recv, recv_first;  // by rank of the communicator
};

/// What one rank contributes to one operation.
///
/// `count` is the elements of one block: of the whole message for all_reduce, broadcast, reduce,
/// send and recv; of what a rank contributes to all_gather and gather; of what it receives from
/// reduce_scatter and scatter; of what it exchanges with each rank in all_to_all.
///
/// Only a root reads the send buffer of broadcast and scatter, and only a root writes the receive
/// buffer of reduce and gather. In place: all_reduce, broadcast and reduce have send == recv;
/// all_gather and gather have send == the rank's own block of recv; reduce_scatter and scatter have
/// recv == the rank's own block of send. Other overlaps are errors.
struct Call {
  CallKind kind;
  const void* send = nullptr;
  void* recv = nullptr;
  Count count = 0;
  DataType type = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  int peer = 0;                        // rank in the communicator; of send and recv only
  int root = 0;                        // likewise; of broadcast, reduce, gather and scatter only
  const PeerCounts* counts = nullptr;  // of all_to_all_v, instead of `count`; the caller keeps
                                       // them until the stream has passed the call
};

/// Where an operation takes its data from and puts its result.
struct Buffers {
  const void* send;
  void* recv;
};

inline Call all_reduce(Buffers b, Count count, DataType type, ReduceOp op) {
  return {CallKind::all_reduce, b.send, b.recv, count, type, op};
}
inline Call all_gather(Buffers b, Count count, DataType type) {
  return {CallKind::all_gather, b.send, b.recv, count, type};
}
inline Call reduce_scatter(Buffers b, Count count, DataType type, ReduceOp op) {
  return {CallKind::reduce_scatter, b.send, b.recv, count, type, op};
}
inline Call all_to_all(Buffers b, Count count, DataType type) {
  return {CallKind::all_to_all, b.send, b.recv, count, type};
}
inline Call all_to_all_v(Buffers b, const PeerCounts& counts, DataType type) {
  Call call{CallKind::all_to_all_v, b.send, b.recv, 0, type};
  call.counts = &counts;
  return call;
}
inline Call broadcast(Buffers b, Count count, DataType type, int root) {
  return {CallKind::broadcast, b.send, b.recv, count, type, ReduceOp::sum, 0, root};
}
inline Call reduce(Buffers b, Count count, DataType type, ReduceOp op, int root) {
  return {CallKind::reduce, b.send, b.recv, count, type, op, 0, root};
}
inline Call gather(Buffers b, Count count, DataType type, int root) {
  return {CallKind::gather, b.send, b.recv, count, type, ReduceOp::sum, 0, root};
}
inline Call scatter(Buffers b, Count count, DataType type, int root) {
  return {CallKind::scatter, b.send, b.recv, count, type, ReduceOp::sum, 0, root};
}
inline Call send(const void* data, Count count, DataType type, int peer) {
  return {CallKind::send, data, nullptr, count, type, ReduceOp::sum, peer};
}
inline Call recv(void* data, Count count, DataType type, int peer) {
  return {CallKind::recv, nullptr, data, count, type, ReduceOp::sum, peer};
}

}  // namespace collbench
