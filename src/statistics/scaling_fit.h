// SPDX-License-Identifier: Apache-2.0
// Laws of what more ranks bring: Amdahl's, the universal scalability law, and how latency grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "statistics/statistics.h"

namespace collbench::statistics {

/// What `ranks` ranks did together, any unit per second.
struct RanksThroughput {
  double ranks;
  double throughput;
};

enum class LawKind : std::uint8_t { amdahl, universal };

/// X(N) = single N / (1 + contention (N - 1) + coherency N (N - 1)).
///
/// Amdahl's law has no coherency; its contention is the share of the work that does not divide.
/// Source: Gunther, Guerrilla Capacity Planning (2007), chapter 4.
struct ScalingLaw {
  LawKind kind = LawKind::universal;
  double single = 0;        // throughput of one rank
  double contention = 0;    // 0 to 1
  double coherency = 0;     // 0 or more
  double median_error = 0;  // of |X / fitted - 1|
  std::size_t points = 0;
  // From the least to the most that any of the fits without one of the points says: what rests on a
  // single measurement. No confidence interval.
  Interval contention_without_one{0, 0};
  Interval coherency_without_one{0, 0};

  double throughput(double ranks) const;
  /// Where throughput is at its most, sqrt((1 - contention) / coherency); nothing without
  /// coherency.
  std::optional<double> best_ranks() const;

  bool operator==(const ScalingLaw&) const = default;
};

/// How many different counts a law is fitted to at least.
constexpr std::size_t least_points(LawKind kind) { return kind == LawKind::amdahl ? 3 : 5; }

/// With the least squares of log X. Nothing for fewer points, which must be of different counts and
/// above 0.
std::optional<ScalingLaw> fit_scaling(LawKind kind, std::span<const RanksThroughput> points);

/// What a law and its fits without one of the points, which are those that it was fitted to, say of
/// throughput at a count, from the least to the most.
Interval throughput_without_one(std::span<const RanksThroughput> points, const ScalingLaw& law,
                                double ranks);

}  // namespace collbench::statistics
