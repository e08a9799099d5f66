// SPDX-License-Identifier: Apache-2.0
// PreparedCalls: the calls of operations that move through the buffers, made before a clock starts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "comm/device.h"
#include "measure/operation.h"

namespace collbench {

/// One placement of one size: the buffers, and the room to move through them.
///
/// Operation i works at offset i mod `positions` times `stride_bytes` in both buffers, as
/// nccl-tests does, or caches would inflate the bandwidth of small messages.
struct Placement {
  Buffers buffers;
  Bytes stride_bytes = 0;
  std::uint64_t positions = 1;
};

/// The buffers of operation i.
Buffers buffers_at(const Placement& placement, std::uint64_t position);

/// Operations of a row, one further on in the buffers than the other; after the last position that
/// is prepared they start over.
class PreparedCalls {
 public:
  /// For blocks of so many iterations, each of `grouped` operations: their groups of calls are
  /// fused, the first ones of all, then the second ones. A walk has at least 1024 positions, if the
  /// buffers have: short blocks must not find in a cache what the block before has left there.
  /// The first block begins where a walk of `done` iterations has ended, for the same reason.
  PreparedCalls(const Operation& operation, const Setting& setting, const Placement& placement,
                std::uint64_t iterations, std::uint64_t grouped = 1, std::uint64_t done = 0);

  PreparedCalls(const PreparedCalls&) = delete;  // groups_ points into calls_
  PreparedCalls& operator=(const PreparedCalls&) = delete;

  /// Goes on where the last call has ended.
  void enqueue(std::uint64_t iterations, Communicator& comm, Stream& stream);

  /// From now on blocks of a multiple of `iterations` are replays of so many, recorded here.
  void record(GraphCapture& graphs, std::uint64_t iterations, Communicator& comm, Stream& stream);

  /// How much of each buffer the operations use.
  Bytes walked_bytes() const { return walked_bytes_; }

 private:
  std::vector<Call> calls_;
  std::vector<std::span<const Call>> groups_;
  std::size_t next_ = 0;  // index into groups_
  std::uint64_t groups_per_iteration_ = 0;
  Bytes iteration_bytes_ = 0;
  Bytes walked_bytes_ = 0;
  std::unique_ptr<Graph> graph_;
  std::uint64_t recorded_ = 0;  // iterations of the graph
};

}  // namespace collbench
