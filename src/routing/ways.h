// SPDX-License-Identifier: Apache-2.0
// Ways to send the tokens of a layer to their experts, and the rows of each.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "routing/rows.h"

namespace collbench::routing {

/// Rows that ranks send on the way to the experts; the way back has the same rows, in the other
/// direction.
struct Way {
  std::string_view name;
  std::string_view row_for;                   // what a row is sent for
  double rows = 0;                            // mean over ranks; what DeepEP's bandwidths count
  double moved_rows = 0;                      // of them, those that leave the rank, or the node
  double most_sent = 0, most_received = 0;    // of moved rows, by the busiest rank
  std::optional<double> expected_moved_rows;  // by formula; absent where there is none
};

/// alltoall: a row for each copy (Megatron). padded: each expert's capacity, where there is one.
/// per_rank: DeepEP on one node; per_node and fan_out: DeepEP between and within several nodes;
/// these where choices are known token by token. allgather: every token to all of `gathering`
/// ranks, tp x ep of them.
std::vector<Way> ways(const RoutingSpec& spec, const Shape& shape, const Rows& rows, int gathering);

}  // namespace collbench::routing
