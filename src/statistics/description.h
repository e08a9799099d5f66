// SPDX-License-Identifier: Apache-2.0
// Description: what a reader sees of many values: the middle, the spread and the tails.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace collbench::statistics {

/// Quantiles are those of `quantile` in statistics.h. A tail that the values say too little about
/// is absent: with few values the 99th percentile is just the largest one.
struct Description {
  std::size_t n;
  double min;
  double q1;
  double median;
  double mean;
  double q3;
  std::optional<double> p95;
  std::optional<double> p99;
  double max;

  bool operator==(const Description&) const = default;
};

/// Requires values.
Description describe(std::span<const double> values);

/// The fewest values of which the largest bounds the quantile `q` from above with 95 %
/// probability: n >= ln 0.05 / ln q, since all n lie below it with probability q^n.
/// Requires 0 < q < 1.
std::size_t values_for_upper_bound(double q);

}  // namespace collbench::statistics
