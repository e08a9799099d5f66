// SPDX-License-Identifier: Apache-2.0
// In which order two sides are launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace collbench {

enum class Side : std::uint8_t { base, candidate };

struct Turn {
  Side side;
  std::size_t number;  // of its side, from 1

  bool operator==(const Turn&) const = default;
};

/// A B B A A B B A ...: each side first as often as the other (once more, where `runs` is odd), so
/// that neither what drifts on the machine nor what a launch leaves behind is of one side only.
inline std::vector<Turn> interleaved(std::size_t runs) {
  std::vector<Turn> turns;
  for (std::size_t number = 1; number <= runs; ++number) {
    const bool base_first = number % 2 == 1;
    turns.push_back({base_first ? Side::base : Side::candidate, number});
    turns.push_back({base_first ? Side::candidate : Side::base, number});
  }
  return turns;
}

}  // namespace collbench
