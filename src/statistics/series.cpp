// SPDX-License-Identifier: Apache-2.0
#include "statistics/series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "statistics/distributions.h"

namespace collbench::statistics {
namespace {

// Kendall's S: pairs in ascending order less pairs in descending order.
double kendall_s(std::span<const double> values) {
  std::int64_t s = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      s += (values[j] > values[i]) - (values[j] < values[i]);
    }
  }
  return static_cast<double>(s);
}

// n (n-1) (2n+5), the term of the variance that n values, or n ties, contribute.
double variance_term(double n) { return n * (n - 1) * (2 * n + 5); }

double kendall_variance(std::span<const double> values) {
  std::vector<double> order(values.begin(), values.end());
  std::sort(order.begin(), order.end());
  double terms = variance_term(static_cast<double>(order.size()));
  for (auto run = order.begin(); run != order.end();) {
    const auto end = std::upper_bound(run, order.end(), *run);
    terms -= variance_term(static_cast<double>(end - run));
    run = end;
  }
  return terms / 18;
}

// At most so many values of a long series, evenly spaced: the test looks at all pairs.
std::vector<double> thinned(std::span<const double> values, std::size_t most) {
  const std::size_t step = (values.size() + most - 1) / most;
  std::vector<double> kept;
  for (std::size_t i = 0; i < values.size(); i += std::max<std::size_t>(step, 1)) {
    kept.push_back(values[i]);
  }
  return kept;
}

// Whether an autocorrelation of n values is above `least` and above so many standard errors of it.
bool exceeds(double autocorrelation, double least, double errors, std::size_t n) {
  return autocorrelation > std::max(least, errors / std::sqrt(static_cast<double>(n)));
}

// 1 above the median, -1 below it.
std::vector<double> sides_of_median(std::span<const double> values) {
  const double middle = median(values);
  std::vector<double> sides;
  for (const double value : values) sides.push_back((value > middle) - (value < middle));
  return sides;
}

double product_at_lag(std::span<const double> series, std::size_t lag) {
  return std::inner_product(series.begin() + static_cast<std::ptrdiff_t>(lag), series.end(),
                            series.begin(), 0.0);
}

}  // namespace

Outliers find_outliers(std::span<const double> values) {
  const double q1 = quantile(values, 0.25);
  const double q3 = quantile(values, 0.75);
  const double middle = median(values);
  const double range = q3 - q1;
  const double rounding = 1e-9 * middle;  // closer together than this are equal values
  Outliers found;
  for (const double value : values) {
    const double beyond = std::max(q1 - value, value - q3);
    if (beyond > std::max(3 * range, rounding)) {
      ++found.severe;
    } else if (beyond > std::max(1.5 * range, rounding)) {
      ++found.mild;
    }
    if (value > 1.5 * middle) ++found.spikes;
  }
  return found;
}

double trend_probability(std::span<const double> values) {
  constexpr std::size_t kLeast = 8;  // below it the normal approximation says nothing
  constexpr std::size_t kMost = 1000;
  if (values.size() < kLeast) return 1;
  const std::vector<double> series = thinned(values, kMost);
  const double variance = kendall_variance(series);
  if (variance <= 0) return 1;  // all values are equal
  const double s = kendall_s(series);
  const double z = std::max(std::fabs(s) - 1, 0.0) / std::sqrt(variance);
  return 2 * normal_upper_tail(z);
}

double half_to_half_change(std::span<const double> values) {
  const std::size_t half = values.size() / 2;
  return median(values.subspan(values.size() - half)) / median(values.first(half)) - 1;
}

bool drifts(std::span<const double> values) {
  if (values.size() < 2 || std::fabs(half_to_half_change(values)) <= 0.02) return false;
  return trend_probability(values) < 0.01;
}

double lag1_autocorrelation(std::span<const double> values) {
  if (values.size() < 3) return 0;
  const double center = mean(values);
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double deviation = values[i] - center;
    squares += deviation * deviation;
    if (i + 1 < values.size()) products += deviation * (values[i + 1] - center);
  }
  const double rounding = 1e-9 * center;  // closer together than this are equal values
  const bool varied = squares > static_cast<double>(values.size()) * rounding * rounding;
  return varied ? products / squares : 0;
}

bool depends_on_neighbours(std::span<const double> values) {
  return exceeds(lag1_autocorrelation(values), 0.2, 2, values.size());
}

double values_per_independent_one(std::span<const double> values) {
  const std::vector<double> sides = sides_of_median(values);
  const double at_lag_0 = product_at_lag(sides, 0);
  if (at_lag_0 == 0) return 1;  // all are equal
  double pairs = 0;
  double before = std::numeric_limits<double>::infinity();
  for (std::size_t lag = 0; lag + 1 < sides.size(); lag += 2) {
    const double pair = product_at_lag(sides, lag) + product_at_lag(sides, lag + 1);
    before = std::min(before, pair / at_lag_0);
    if (before <= 0) break;
    pairs += before;
  }
  return std::max(1.0, 2 * pairs - 1);
}

std::optional<Interval> dependent_median_interval(std::span<const double> values) {
  const bool suspect = exceeds(lag1_autocorrelation(values), 0.1, 1, values.size());
  if (!suspect) return median_interval(values);
  const double per_independent = values_per_independent_one(values);
  const auto n = static_cast<double>(values.size());
  const auto ranks = median_interval_ranks(values.size());
  if (!ranks || n / per_independent < 6) return std::nullopt;
  const double center = (n - 1) / 2;
  const double half = (center - static_cast<double>(ranks->low)) * std::sqrt(per_independent);
  const double low = std::floor(center - half);
  if (low < 0) return std::nullopt;
  return interval_at(values,
                     {static_cast<std::size_t>(low), static_cast<std::size_t>(n - 1 - low)});
}

std::size_t start_up_length(std::span<const double> values) {
  // Sums over the values from d on, by walking d down from the end.
  double sum = 0;
  double squares = 0;
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  const double center = values.empty() ? 0 : values.back();  // keeps the squares small and exact
  for (std::size_t d = values.size(); d-- > 0;) {
    const double value = values[d] - center;
    sum += value;
    squares += value * value;
    if (d > values.size() / 2) continue;
    const auto n = static_cast<double>(values.size() - d);
    const double error = (squares - sum * sum / n) / (n * n);
    if (error <= least) {
      least = error;
      best = d;
    }
  }
  return best;
}

bool starts_differently(std::span<const double> values) {
  const std::size_t length = start_up_length(values);
  if (10 * length <= values.size()) return false;
  const auto rest = values.subspan(length);
  const auto interval = median_interval(rest);
  if (!interval) return false;
  const double start = median(values.first(length));
  const bool outside = start < interval->low || start > interval->high;
  return outside && std::fabs(start / median(rest) - 1) > 0.02;
}

}  // namespace collbench::statistics
