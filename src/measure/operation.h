// SPDX-License-Identifier: Apache-2.0
// Operation: one collective as its binary describes it: the calls it makes and the result it owes.
#pragma once

#include <vector>

#include "base/data_type.h"
#include "base/reduce_op.h"
#include "comm/call.h"
#include "traffic/traffic.h"

namespace collbench {

/// A rank among those that measure together.
struct RankPlace {
  int rank = 0;
  int ranks = 1;
};

/// What is measured in one row, but for the buffers.
struct Setting {
  Count count = 0;  // elements of a block
  DataType type = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  int rank = 0;
  int ranks = 1;
};

/// Whose data a block of the result is made of.
enum class Source : std::uint8_t { rank_data, reduction_of_all };

/// One block of `count` elements that a rank owes after the operation.
struct ExpectedBlock {
  Source source = Source::rank_data;
  int rank = 0;             // of rank_data
  Count first_element = 0;  // of the source's tensor
};

/// The description that a binary in collectives/ hands to run_collective.
struct Operation {
  traffic::Traffic traffic;

  /// The fused group that this rank enqueues for one operation.
  std::vector<Call> (*calls)(const Setting& setting, const Buffers& buffers);

  /// What this rank's receive buffer holds afterwards, block by block.
  std::vector<ExpectedBlock> (*expected)(const Setting& setting);
};

}  // namespace collbench
