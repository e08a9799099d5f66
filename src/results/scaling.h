// SPDX-License-Identifier: Apache-2.0
// ScalingReport: how much of the ranks that are added arrives as throughput.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace collbench {

struct ScalingPoint {
  int ranks = 0;
  double step_s = 0;  // median
  Count tokens = 0;   // of a step, over all ranks
  double tokens_per_s = 0;
  double efficiency = 0;                        // throughput / (ranks x base throughput per rank)
  std::optional<double> marginal_efficiency{};  // the same, with the point before as base
  std::optional<double> exposed_share{};        // exposed communication / step

  bool operator==(const ScalingPoint&) const = default;
};

struct ScalingReport {
  int base_ranks = 0;  // what the others are compared with: the smallest count
  bool weak = true;    // every rank keeps its work; else the step does (strong scaling)
  std::vector<ScalingPoint> points{};  // by ranks

  bool operator==(const ScalingReport&) const = default;
};

/// More than this is no achievement: a base that was held up, or a cache.
inline constexpr double kSuperlinear = 1.05;

}  // namespace collbench
