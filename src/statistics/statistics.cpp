// SPDX-License-Identifier: Apache-2.0
#include "statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/distributions.h"

namespace collbench::statistics {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

}  // namespace

double median(std::span<const double> values) { return quantile(values, 0.5); }

double quantile(std::span<const double> values, double q) {
  const std::vector<double> order = sorted(values);
  const double position = q * static_cast<double>(order.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, order.size() - 1);
  const double share = position - static_cast<double>(below);
  return order[below] + share * (order[above] - order[below]);
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<Ranks> median_interval_ranks(std::size_t n) {
  constexpr double kTail = 0.025;
  if (n < 6) return std::nullopt;  // even the extremes cover the median with less than 95 %
  // Start from the normal approximation and walk to the largest l whose lower tail fits.
  const double guess = static_cast<double>(n) / 2 - 0.98 * std::sqrt(static_cast<double>(n)) - 2;
  auto l = static_cast<std::size_t>(std::max(1.0, guess));
  while (fair_coins_at_most(l, n) <= kTail) ++l;
  return Ranks{l - 1, n - l};
}

Interval interval_at(std::span<const double> values, const Ranks& ranks) {
  const std::vector<double> order = sorted(values);
  return {order[ranks.low], order[ranks.high]};
}

std::optional<Interval> median_interval(std::span<const double> values) {
  const auto ranks = median_interval_ranks(values.size());
  if (!ranks) return std::nullopt;
  return interval_at(values, *ranks);
}

double relative_half_width(const Interval& interval, double median) {
  return (interval.high - interval.low) / 2 / median;
}

}  // namespace collbench::statistics
