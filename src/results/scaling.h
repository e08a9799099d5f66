// SPDX-License-Identifier: Apache-2.0
// ScalingReport: how much of the ranks that are added arrives as throughput.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace collbench {

struct ScalingPoint {
  int degree = 1;  // of the varied axis
  int ranks = 0;
  double step_s = 0;  // median
  Count tokens = 0;   // of a step, over all ranks
  double tokens_per_s = 0;
  double efficiency = 0;                        // throughput / (ranks x base throughput per rank)
  std::optional<double> marginal_efficiency{};  // the same, with the point before as base
  std::optional<double> exposed_share{};        // exposed communication / step

  bool operator==(const ScalingPoint&) const = default;
};

/// A degree that was asked for and has no point.
struct ScalingGap {
  int degree = 1;
  int ranks = 0;
  std::string reason;

  bool operator==(const ScalingGap&) const = default;
};

struct ScalingReport {
  std::string axis = "dp";  // whose degree varies, and the number of ranks with it
  int base_ranks = 0;       // what the others are compared with: the smallest count
  bool weak = true;         // every rank keeps its work; else the step does (strong scaling)
  std::vector<ScalingPoint> points{};  // by ranks
  std::vector<ScalingGap> left_out{};  // by degree

  bool operator==(const ScalingReport&) const = default;
};

/// More than this is no achievement: a base that was held up, or a cache.
inline constexpr double kSuperlinear = 1.05;

}  // namespace collbench
