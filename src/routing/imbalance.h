// SPDX-License-Identifier: Apache-2.0
// Imbalance: how unevenly a layer's rows fall on ranks and experts.
#pragma once

#include <cstdint>
#include <span>

#include "routing/rows.h"

namespace collbench::routing {

struct Imbalance {
  double rank_max_over_mean = 1;  // rows that the busiest rank receives, its own among them
  double max_violation = 0;       // MaxVio: rows that the busiest expert is chosen for / mean - 1
  double dropped_share = 0;       // of the copies that tokens ask for
  double padded_share = 0;        // of the rows of a capacity
};

Imbalance imbalance_of(const Rows& rows);

/// Largest over mean; 1 where all are 0.
double max_over_mean(std::span<const std::uint64_t> loads);

}  // namespace collbench::routing
