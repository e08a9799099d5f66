// SPDX-License-Identifier: Apache-2.0
// Totals: what a plan sends, added up; exact, in 64 bits.
#pragma once

#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace collbench::plan {

/// All messages of one kind on one axis, of one rank.
struct Total {
  model::Axis axis = model::Axis::world;
  int group_size = 1;
  MessageKind kind = MessageKind::collective;
  Collective collective = Collective::all_reduce;
  std::uint64_t messages = 0;
  Bytes message_bytes = 0;    // S of traffic/traffic.h, summed
  bool by_matrix = false;     // a row of its own
  Bytes bytes_by_matrix = 0;  // what the rank sends to others, by its rows

  /// What must cross the rank's link in its busier direction: the bus factor times S, in whole
  /// bytes, rounded down once for the sum. By a matrix, what the rank sends. What is received
  /// counts as nothing.
  Bytes sent_bytes() const;

  std::string_view name() const;
};

/// By axis and kind, in the order of their enumerators.
std::vector<Total> totals(const Plan& plan, const RankClass& ranks);

/// What one rank of the class sends, over all axes and kinds, or on one axis.
Bytes sent_bytes(const Plan& plan, const RankClass& ranks);
Bytes sent_bytes(const Plan& plan, const RankClass& ranks, model::Axis axis);

/// 2 m n k over all operations of a rank.
Count flops(const RankClass& ranks);

/// The bytes of all slots of a rank in a memory.
Bytes slot_bytes(const RankClass& ranks, Memory memory);

}  // namespace collbench::plan
