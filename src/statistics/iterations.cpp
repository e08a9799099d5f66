// SPDX-License-Identifier: Apache-2.0
#include "statistics/iterations.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "statistics/statistics.h"

namespace collbench::statistics {

IterationSummary summarize_iterations(std::span<const double> values) {
  std::vector<double> order(values.begin(), values.end());
  std::sort(order.begin(), order.end());
  const std::size_t n = order.size();
  // In whole percents, since 0.95 * 20 is not quite 19.
  const auto nearest_rank = [&](std::size_t percent) {
    return order[(percent * n + 99) / 100 - 1];
  };
  const double center = mean(order);
  double squares = 0;
  for (const double value : order) squares += (value - center) * (value - center);
  const double deviation = std::sqrt(squares / static_cast<double>(n));
  return {.min = order.front(),
          .max = order.back(),
          .mean = center,
          .p50 = order[n / 2],
          .p95 = nearest_rank(95),
          .p99 = nearest_rank(99),
          .deviation = deviation,
          .variation = center > 0 ? deviation / center : 0};
}

}  // namespace collbench::statistics
