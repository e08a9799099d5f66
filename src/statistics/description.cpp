// SPDX-License-Identifier: Apache-2.0
#include "statistics/description.h"

#include <cmath>

#include "statistics/statistics.h"

namespace collbench::statistics {
namespace {

std::optional<double> tail(std::span<const double> values, double q) {
  if (values.size() < values_for_upper_bound(q)) return std::nullopt;
  return quantile(values, q);
}

}  // namespace

Description describe(std::span<const double> values) {
  return {.n = values.size(),
          .min = quantile(values, 0),
          .q1 = quantile(values, 0.25),
          .median = median(values),
          .mean = mean(values),
          .q3 = quantile(values, 0.75),
          .p95 = tail(values, 0.95),
          .p99 = tail(values, 0.99),
          .max = quantile(values, 1)};
}

std::size_t values_for_upper_bound(double q) {
  return static_cast<std::size_t>(std::ceil(std::log(0.05) / std::log(q)));
}

}  // namespace collbench::statistics
