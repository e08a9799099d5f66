// SPDX-License-Identifier: Apache-2.0
// One operation of a communicator as a plain value, and named functions that make each kind.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/data_type.h"
#include "base/reduce_op.h"

namespace collbench {

enum class CallKind : std::uint8_t { all_reduce, all_gather, reduce_scatter, send, recv };

/// What one rank contributes to one operation.
///
/// `count` is the elements of one block: of the whole message for all_reduce, send and recv; of
/// what a rank contributes to all_gather; of what it receives from reduce_scatter. In place:
/// all_reduce has send == recv; all_gather has send == its own block of recv; reduce_scatter has
/// recv == its own block of send. Other overlaps are errors.
struct Call {
  CallKind kind;
  const void* send = nullptr;
  void* recv = nullptr;
  Count count = 0;
  DataType type = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  int peer = 0;  // rank in the communicator; of send and recv only
};

/// Where an operation takes its data from and puts its result.
struct Buffers {
  const void* send;
  void* recv;
};

inline Call all_reduce(Buffers b, Count count, DataType type, ReduceOp op) {
  return {CallKind::all_reduce, b.send, b.recv, count, type, op, 0};
}
inline Call all_gather(Buffers b, Count count, DataType type) {
  return {CallKind::all_gather, b.send, b.recv, count, type, ReduceOp::sum, 0};
}
inline Call reduce_scatter(Buffers b, Count count, DataType type, ReduceOp op) {
  return {CallKind::reduce_scatter, b.send, b.recv, count, type, op, 0};
}
inline Call send(const void* data, Count count, DataType type, int peer) {
  return {CallKind::send, data, nullptr, count, type, ReduceOp::sum, peer};
}
inline Call recv(void* data, Count count, DataType type, int peer) {
  return {CallKind::recv, nullptr, data, count, type, ReduceOp::sum, peer};
}

}  // namespace collbench
