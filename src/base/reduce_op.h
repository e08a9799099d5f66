// SPDX-License-Identifier: Apache-2.0
// Reduction operations: one row each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/enum_rows.h"

namespace collbench {

enum class ReduceOp : std::uint8_t { sum, prod, max, min, avg, mulsum };

struct ReduceOpRow {
  ReduceOp op;
  std::string_view name;  // what the user types after -o; nccl-tests' name
};

/// In nccl-tests' order, which is that of the rows of `-o all`.
inline constexpr std::array<ReduceOpRow, 6> kReduceOps = {{
    {ReduceOp::sum, "sum"},
    {ReduceOp::prod, "prod"},
    {ReduceOp::max, "max"},
    {ReduceOp::min, "min"},
    {ReduceOp::avg, "avg"},        // the sum divided by the number of ranks
    {ReduceOp::mulsum, "mulsum"},  // the sum of each rank's data times mulsum_scalar(rank)
}};
static_assert(in_enum_order(kReduceOps, &ReduceOpRow::op));

/// What rank `rank` of a communicator multiplies its data with, as in nccl-tests.
constexpr int mulsum_scalar(int rank) { return 1 + rank % 2; }

constexpr std::string_view name_of(ReduceOp op) {
  return kReduceOps[static_cast<std::size_t>(op)].name;
}

/// The operation with this name; throws UserError that lists the names there are.
ReduceOp parse_reduce_op(std::string_view name);

}  // namespace collbench
