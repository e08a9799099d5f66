// SPDX-License-Identifier: Apache-2.0
// What a person may say of results that other programs wrote, where their output does not.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/data_type.h"
#include "base/errors.h"

namespace collbench {

struct ImportFacts {
  std::optional<int> ranks = {};
  std::optional<int> nodes = {};
  std::optional<int> ranks_per_node = {};       // one after the other on each host
  std::optional<std::string> collective = {};   // "all_reduce"
  std::optional<DataType> type = {};            // of elements
  std::optional<std::string> aggregation = {};  // of times over ranks: "mean"

  bool operator==(const ImportFacts&) const = default;
};

/// On how many hosts so many ranks are, as the person says; nothing where they say nothing of it.
inline std::optional<int> hosts_given(const ImportFacts& facts, int ranks) {
  if (!facts.ranks_per_node) return facts.nodes;
  return (ranks - 1) / *facts.ranks_per_node + 1;
}

/// What the text says, or else the person. Throws UserError where both speak and differ, and where
/// neither does: `noun` is what is wanted, `flag` the one that says it.
template <class T>
T known(const std::optional<T>& in_text, const std::optional<T>& given, std::string_view noun,
        std::string_view flag) {
  if (!in_text && !given) {
    throw UserError(fmt::format("the text does not tell {}: import it with {}", noun, flag));
  }
  if (in_text && given && *in_text != *given) {
    throw UserError(fmt::format("{}: the text itself tells {}, and otherwise", flag, noun));
  }
  return in_text ? *in_text : *given;
}

}  // namespace collbench
