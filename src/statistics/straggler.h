// SPDX-License-Identifier: Apache-2.0
// Straggler: which rank is last most often, and whether chance alone would explain it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace collbench::statistics {

struct Straggler {
  std::size_t rank;
  std::uint64_t last_count;  // samples in which it was the last
  double by_chance;          // how many of these each of equal ranks would have
  double probability;        // that any of equal ranks is last so often; at most 1
};

/// `last_counts` are by rank. The probability is an upper bound: the number of ranks times the
/// binomial one of a given rank (Bonferroni). Nothing for one rank, or without samples.
std::optional<Straggler> find_straggler(std::span<const std::uint64_t> last_counts);

}  // namespace collbench::statistics
