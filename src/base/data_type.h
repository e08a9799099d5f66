// SPDX-License-Identifier: Apache-2.0
// Element types: one row each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/enum_rows.h"

namespace collbench {

enum class DataType : std::uint8_t {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  half,
  float32,
  float64,
  bfloat16,
  f8e4m3,
  f8e5m2,
};

/// What the suite knows of an element type; what its numbers are is in element.h.
struct DataTypeRow {
  DataType type;
  std::string_view name;  // what the user types after -d; nccl-tests' name
  Bytes bytes;            // of one element
};

/// In nccl-tests' order, which is that of the rows of `-d all`.
inline constexpr std::array<DataTypeRow, 12> kDataTypes = {{
    {DataType::int8, "int8", 1},
    {DataType::uint8, "uint8", 1},
    {DataType::int32, "int32", 4},
    {DataType::uint32, "uint32", 4},
    {DataType::int64, "int64", 8},
    {DataType::uint64, "uint64", 8},
    {DataType::half, "half", 2},
    {DataType::float32, "float", 4},
    {DataType::float64, "double", 8},
    {DataType::bfloat16, "bfloat16", 2},
    {DataType::f8e4m3, "f8e4m3", 1},
    {DataType::f8e5m2, "f8e5m2", 1},
}};
static_assert(in_enum_order(kDataTypes, &DataTypeRow::type));

constexpr const DataTypeRow& row_of(DataType type) {
  return kDataTypes[static_cast<std::size_t>(type)];
}
constexpr Bytes size_of(DataType type) { return row_of(type).bytes; }
constexpr std::string_view name_of(DataType type) { return row_of(type).name; }

/// The type with this name; throws UserError that lists the names there are.
DataType parse_data_type(std::string_view name);

}  // namespace collbench
