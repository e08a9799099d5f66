// SPDX-License-Identifier: Apache-2.0
// Operation: one collective as its binary describes it: the calls it makes and the result it owes.
#pragma once

#include <optional>
#include <vector>

#include "base/data_type.h"
#include "base/reduce_op.h"
#include "comm/call.h"
#include "measure/exchange.h"
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
  int root = 0;                        // of a rooted collective
  const Exchange* exchange = nullptr;  // of a collective by matrix; outlives the row's measurement
};

/// Whose data a block of the result is made of.
enum class Source : std::uint8_t {
  rank_data,
  reduction_of_all,
  untouched,  // what was there before: this rank receives nothing
};

/// One block that a rank owes after the operation.
struct ExpectedBlock {
  Source source = Source::rank_data;
  int rank = 0;                               // of rank_data
  Count first_element = 0;                    // of the source's tensor
  std::optional<Count> count = std::nullopt;  // of elements; absent: as the setting says
};

/// Groups of calls: those of a group progress together, the groups one after the other.
using CallGroups = std::vector<std::vector<Call>>;

/// The description that a binary in collectives/ hands to run_collective.
struct Operation {
  traffic::Traffic traffic;

  /// What this rank enqueues for one operation: at least one group, unless the rank takes no part.
  CallGroups (*calls)(const Setting& setting, const Buffers& buffers);

  /// What this rank's receive buffer holds afterwards, block by block.
  std::vector<ExpectedBlock> (*expected)(const Setting& setting);
};

}  // namespace collbench
