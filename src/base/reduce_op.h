// SPDX-License-Identifier: Apache-2.0
// Reduction operations: one row each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace collbench {

enum class ReduceOp : std::uint8_t { sum, max, avg };

struct ReduceOpRow {
  ReduceOp op;
  std::string_view name;  // what the user types after -o; nccl-tests' name
};

inline constexpr std::array<ReduceOpRow, 3> kReduceOps = {{
    {ReduceOp::sum, "sum"},
    {ReduceOp::max, "max"},
    {ReduceOp::avg, "avg"},  // the sum divided by the number of ranks
}};

constexpr std::string_view name_of(ReduceOp op) {
  return kReduceOps[static_cast<std::size_t>(op)].name;
}

/// The operation with this name; throws UserError that lists the names there are.
ReduceOp parse_reduce_op(std::string_view name);

}  // namespace collbench
