// SPDX-License-Identifier: Apache-2.0
#include "measure/stop_rule.h"

#include <algorithm>
#include <cmath>

#include "statistics/series.h"

namespace collbench {
namespace {

// Samples are gathered and decided upon batch by batch.
constexpr std::uint64_t kLargestBatch = 1000;

bool is_precise(const StopRule& rule, std::span<const double> samples_s) {
  const auto interval = statistics::dependent_median_interval(samples_s);
  if (!interval) return false;
  const double median = statistics::median(samples_s);
  return statistics::relative_half_width(*interval, median) <= rule.target_half_width;
}

// A tenth more, but no more than the remaining time has room for.
std::uint64_t next_batch(const StopRule& rule, std::uint64_t n, double elapsed_s) {
  if (n == 0) return 1;  // the first tells how many fit
  const std::uint64_t wanted = n < rule.min_samples ? rule.min_samples - n : (n + 9) / 10;
  const double per_sample_s = elapsed_s / static_cast<double>(n);
  const double room = std::floor((rule.max_time_s - elapsed_s) / std::max(per_sample_s, 1e-9));
  const auto fitting = static_cast<std::uint64_t>(std::clamp(room, 1.0, 1e9));
  return std::min({wanted, fitting, rule.max_samples - n});
}

}  // namespace

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::none:
      return "none";
    case StopReason::target:
      return "target";
    case StopReason::max_time:
      return "max_time";
    case StopReason::max_samples:
      return "max_samples";
    case StopReason::fixed:
      return "fixed";
  }
  return "none";
}

Decision decide(const StopRule& rule, std::span<const double> samples_s, double elapsed_s) {
  const std::uint64_t n = samples_s.size();
  if (rule.fixed_samples > 0) {
    if (n >= rule.fixed_samples) return {0, StopReason::fixed};
    return {std::min(rule.fixed_samples - n, kLargestBatch), StopReason::none};
  }
  if (n >= rule.min_samples && is_precise(rule, samples_s)) return {0, StopReason::target};
  if (n >= rule.max_samples) return {0, StopReason::max_samples};
  if (n > 0 && elapsed_s >= rule.max_time_s) return {0, StopReason::max_time};
  return {next_batch(rule, n, elapsed_s), StopReason::none};
}

std::uint64_t operations_per_sample(double operation_s, double block_s) {
  const double operations = std::ceil(block_s / std::max(operation_s, 1e-9));
  return static_cast<std::uint64_t>(std::max(operations, 1.0));
}

}  // namespace collbench
