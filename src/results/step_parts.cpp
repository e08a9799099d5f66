// SPDX-License-Identifier: Apache-2.0
#include "results/step_parts.h"

namespace collbench {
namespace {

using Series = std::optional<StepSeries>;

std::optional<double> difference_s(const Series& whole, const Series& part) {
  if (!whole || !part) return std::nullopt;
  return whole->median_s - part->median_s;
}

/// Nothing where there is nothing to divide by.
std::optional<double> over_median(const std::optional<double>& value, const Series& series) {
  if (!value || !series || series->median_s <= 0) return std::nullopt;
  return *value / series->median_s;
}

}  // namespace

std::optional<double> bubble_s(const StepRecord& record) {
  return difference_s(record.skeleton, record.computing);
}

std::optional<double> exposed_s(const StepRecord& record) {
  return difference_s(record.step, record.skeleton);
}

std::optional<double> exposed_share(const StepRecord& record) {
  return over_median(exposed_s(record), record.step);
}

std::optional<double> overlap_efficiency(const StepRecord& record) {
  if (record.sent_bytes == 0) return std::nullopt;
  const auto exposed = over_median(exposed_s(record), record.communication);
  return exposed ? std::optional(1 - *exposed) : std::nullopt;
}

std::optional<double> tokens_per_s(const StepRecord& record) {
  return over_median(static_cast<double>(record.tokens), record.step);
}

std::optional<double> prediction_error(const StepRecord& record) {
  if (!record.prediction) return std::nullopt;
  const auto ratio = over_median(record.prediction->step_s, record.step);
  return ratio ? std::optional(*ratio - 1) : std::nullopt;
}

}  // namespace collbench
