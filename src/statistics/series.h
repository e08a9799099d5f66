// SPDX-License-Identifier: Apache-2.0
// What the order of a series of samples tells: outliers, drift, dependence, a cold start.
//
// Nothing is ever dropped because of these; they say how far to trust what the samples give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "statistics/statistics.h"

namespace collbench::statistics {

struct Outliers {
  std::uint64_t mild = 0;    // beyond 1.5 interquartile ranges of the quartiles, up to 3
  std::uint64_t severe = 0;  // beyond 3
  std::uint64_t spikes = 0;  // above 1.5 times the median
};

/// Tukey's fences (Exploratory Data Analysis, 1977). Requires values.
Outliers find_outliers(std::span<const double> values);

/// The two-sided probability that a series without a trend looks as much like one as this: the
/// Mann-Kendall test with its normal approximation and the correction for ties. 1 for fewer than 8.
/// Source: Kendall, Rank Correlation Methods (1975), chapter 4.
double trend_probability(std::span<const double> values);

/// How much the median of the second half differs from that of the first, as a share of it.
/// Requires two values.
double half_to_half_change(std::span<const double> values);

/// A trend that is both improbable by chance (p < 0.01) and large enough to matter (over 2 %).
bool drifts(std::span<const double> values);

/// Correlation of each value with the next, -1 to 1; 0 for fewer than 3 or for equal values.
double lag1_autocorrelation(std::span<const double> values);

/// Whether neighbours depend on each other: a lag-1 autocorrelation above 0.2, and above what
/// chance gives independent values in 2 % of cases (2 / sqrt(n), its standard error being 1 /
/// sqrt(n)).
bool depends_on_neighbours(std::span<const double> values);

/// How many values tell as much about the median as one independent value would: at least 1.
///
/// 1 + 2 sum of r_k, where r_k are the autocorrelations of being above or below the median: that is
/// by how much dependence multiplies the variance of the share of values below it. Summed over
/// pairs of lags while these fall and are positive: the initial monotone sequence of Geyer,
/// Practical Markov chain Monte Carlo (1992), section 3.3.
double values_per_independent_one(std::span<const double> values);

/// The interval of the median for values that may depend on their neighbours: where they do, that
/// of independent values, wider by the root of how many of these make an independent one.
///
/// Neighbours that move together carry less information than their number says: at an
/// autocorrelation of 0.6 the plain 95 % interval of 200 values covers the median in 78 % of cases,
/// this one in 95 %, at 0.9 in 92 %. A suspicion is enough (an autocorrelation above 0.1 and above
/// its standard error): in a few tens of values much dependence looks like little, and it costs
/// independent values 3 % more of them. Nothing where they are worth fewer than 6 independent ones.
std::optional<Interval> dependent_median_interval(std::span<const double> values);

/// How many values at the start belong to a start-up phase: the truncation point of the marginal
/// standard error rule, argmin over d <= n/2 of sum_{i>d} (x_i - mean_d)^2 / (n - d)^2.
/// Source: White, An effective truncation heuristic for bias reduction in simulation output (1997).
std::size_t start_up_length(std::span<const double> values);

/// Whether the series starts differently: over a tenth of it is start-up by the rule above, and the
/// median of that part is over 2 % off the rest's and outside its interval. The rule alone finds a
/// start-up in a fifth of all short series of pure noise.
bool starts_differently(std::span<const double> values);

}  // namespace collbench::statistics
