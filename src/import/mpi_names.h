// SPDX-License-Identifier: Apache-2.0
// What programs that measure MPI call its data types.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/data_type.h"

namespace collbench {

/// "MPI_FLOAT"; nothing for a type that has no counterpart here.
inline std::optional<DataType> mpi_data_type(std::string_view name) {
  struct Row {
    std::string_view name;
    DataType type;
  };
  constexpr std::array<Row, 6> kTypes = {{{"MPI_BYTE", DataType::uint8},
                                          {"MPI_CHAR", DataType::int8},
                                          {"MPI_INT", DataType::int32},
                                          {"MPI_LONG", DataType::int64},
                                          {"MPI_FLOAT", DataType::float32},
                                          {"MPI_DOUBLE", DataType::float64}}};
  for (const Row& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

}  // namespace collbench
