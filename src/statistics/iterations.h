// SPDX-License-Identifier: Apache-2.0
// IterationSummary: the figures that nccl-tests gives of the times of single iterations.
#pragma once

#include <span>

namespace collbench::statistics {

/// Percentiles are nearest ranks, so that of fewer than 100 values the 99th is the largest, and the
/// deviation is that of the population: as nccl-tests has them, whose columns these are.
struct IterationSummary {
  double min;
  double max;
  double mean;
  double p50;  // the upper of two middle values
  double p95;
  double p99;
  double deviation;
  double variation;  // deviation over mean
};

/// Requires values.
IterationSummary summarize_iterations(std::span<const double> values);

}  // namespace collbench::statistics
