// SPDX-License-Identifier: Apache-2.0
// Element types: one row each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace collbench {

enum class DataType : std::uint8_t { float32, half, bfloat16, int32 };

/// What the suite knows of an element type.
struct DataTypeRow {
  DataType type;
  std::string_view name;  // what the user types after -d; nccl-tests' name
  Bytes bytes;            // of one element
  /// Every integer from 0 to this one is exact, so sums of integers below it are exact in any
  /// order.
  std::uint64_t exact_integers;
};

inline constexpr std::array<DataTypeRow, 4> kDataTypes = {{
    {DataType::float32, "float", 4, 1ULL << 24},     // 24-bit significand
    {DataType::half, "half", 2, 1ULL << 11},         // 11-bit significand
    {DataType::bfloat16, "bfloat16", 2, 1ULL << 8},  // 8-bit significand
    {DataType::int32, "int32", 4, (1ULL << 31) - 1},
}};

constexpr const DataTypeRow& row_of(DataType type) {
  return kDataTypes[static_cast<std::size_t>(type)];
}
constexpr Bytes size_of(DataType type) { return row_of(type).bytes; }
constexpr std::string_view name_of(DataType type) { return row_of(type).name; }

/// The type with this name; throws UserError that lists the names there are.
DataType parse_data_type(std::string_view name);

}  // namespace collbench
