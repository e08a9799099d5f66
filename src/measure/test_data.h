// SPDX-License-Identifier: Apache-2.0
// Test data whose reductions are exact in any order, and the data that must come out.
//
// docs/data-check.md says why they are, type by type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/data_type.h"
#include "base/reduce_op.h"
#include "comm/pattern.h"

namespace collbench {

/// Who makes the data of one check.
struct TestDataKey {
  DataType type = DataType::float32;
  std::optional<ReduceOp> op;  // absent: the data only moves, and any value will do
  int ranks = 1;
  std::uint64_t seed = 0;  // differs between checks, so that stale data is wrong data
};

/// What rank `rank` contributes. Every partial result of the reduction is exact in the type,
/// whatever the order. Each rank changes some values of the result, as far as the type and 256
/// values have room for that; where they have not, other ranks have their turn with other seeds.
///
/// Without an operation: any numbers of the type, over its whole range.
Pattern rank_data(const TestDataKey& key, int rank);

/// The reduction of all ranks' data. Requires an operation. An average is the correctly rounded
/// quotient of the exact sum (integers: rounded towards zero).
Pattern reduced_data(const TestDataKey& key);

/// The value of an element for a message: "3", "-17", "nan".
std::string show_value(DataType type, const std::byte* bytes);

}  // namespace collbench
