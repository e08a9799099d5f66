// SPDX-License-Identifier: Apache-2.0
// Medians with exact intervals: numbers in, numbers out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace collbench::statistics {

/// A two-sided confidence interval.
struct Interval {
  double low;
  double high;

  bool operator==(const Interval&) const = default;
};

/// The middle value, or the mean of the two middle ones. Requires values.
double median(std::span<const double> values);

/// The value below which the share `q` of the values lies, interpolated linearly between order
/// statistics (type 7 of Hyndman and Fan 1996). Requires values and 0 <= q <= 1.
double quantile(std::span<const double> values, double q);

double mean(std::span<const double> values);

/// Zero-based positions in the sorted values that bound the median with at least 95 % probability.
struct Ranks {
  std::size_t low;
  std::size_t high;
};

/// Exact by the binomial distribution, for any distribution of the values: the lower bound is the
/// largest order statistic l with 1 - 2 P(Bin(n, 1/2) <= l - 1) >= 0.95. Nothing for n below 6.
std::optional<Ranks> median_interval_ranks(std::size_t n);

/// The values at these positions in the sorted values.
Interval interval_at(std::span<const double> values, const Ranks& ranks);

/// The interval of the median of the values; nothing for fewer than 6.
std::optional<Interval> median_interval(std::span<const double> values);

/// Half the interval's width as a share of the median: how well the median is known.
double relative_half_width(const Interval& interval, double median);

}  // namespace collbench::statistics
