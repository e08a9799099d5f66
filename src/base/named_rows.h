// SPDX-License-Identifier: Apache-2.0
// Tables of rows with a `name`: finding a row, and listing the names.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/errors.h"

namespace collbench {

/// "float, half, bfloat16"
template <class Rows>
std::string list_names(const Rows& rows) {
  std::string names;
  for (const auto& row : rows) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

/// The row called `name`; throws UserError that names the flag, what it wants, and the choices.
template <class Rows>
const auto& find_named(const Rows& rows, std::string_view name, std::string_view flag,
                       std::string_view noun) {
  for (const auto& row : rows) {
    if (row.name == name) return row;
  }
  throw UserError(
      fmt::format("{}: '{}' is no {}; choose from {}", flag, name, noun, list_names(rows)));
}

}  // namespace collbench
