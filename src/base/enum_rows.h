// SPDX-License-Identifier: Apache-2.0
// Tables with one row per enumerator, which is also the row's index.
#pragma once

#include <array>
#include <cstddef>

namespace collbench {

/// Whether every row stands where its enumerator points. A table that is indexed by an enumerator
/// asserts it, so that a row put in the wrong place is an error of the compiler's.
template <class Row, std::size_t kRows, class Enum>
consteval bool in_enum_order(const std::array<Row, kRows>& rows, Enum Row::*enumerator) {
  for (std::size_t i = 0; i < kRows; ++i) {
    if (static_cast<std::size_t>(rows[i].*enumerator) != i) return false;
  }
  return true;
}

}  // namespace collbench
