// SPDX-License-Identifier: Apache-2.0
// Weighted: draws one of several with the probability of its weight, in constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/portable_math.h"

namespace collbench::routing {

/// Walker's alias method (Vose 1991), in integers. Requires at least one weight, all of them from 1
/// to 2^32, and at most 2^16.
class Weighted {
 public:
  explicit Weighted(std::span<const std::uint64_t> weights);

  std::size_t size() const { return weights_.size(); }
  std::uint64_t weight(std::size_t i) const { return weights_[i]; }
  std::uint64_t total() const { return total_; }

  std::size_t draw(PortableRandom& random) const;

  /// One that is not `taken(i)`, of which there must be one; `taken_weight` is theirs together.
  template <class Taken>
  std::size_t draw_other(PortableRandom& random, std::uint64_t taken_weight, Taken taken) const {
    // Mostly found at once; where what is taken weighs nearly all, by looking at each.
    for (int attempt = 0; attempt < 16; ++attempt) {
      const std::size_t i = draw(random);
      if (!taken(i)) return i;
    }
    std::uint64_t left = random.below(total_ - taken_weight);
    for (std::size_t i = 0;; ++i) {
      if (taken(i)) continue;
      if (left < weights_[i]) return i;
      left -= weights_[i];
    }
  }

 private:
  struct Column {
    std::uint64_t own = 0;  // 2^64 times the share of the column that is its own
    std::size_t other = 0;
  };

  std::vector<std::uint64_t> weights_;
  std::vector<Column> columns_;
  std::uint64_t total_ = 0;
};

}  // namespace collbench::routing
