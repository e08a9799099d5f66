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

void add_step(std::vector<StepRecord>& steps, const StepRecord& step) {
  if (!steps.empty() && steps.back().key == step.key) {
    steps.back() = step;
  } else {
    steps.push_back(step);
  }
}

std::optional<Collective> operation_of(const StepMessage& message) {
  if (message.operation == "send" || message.operation == "recv") return Collective::sendrecv;
  for (const traffic::Traffic& row : traffic::kAll) {
    if (row.name == message.operation) return row.collective;
  }
  return std::nullopt;
}

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
  const bool can_hide = record.sent_bytes > 0 && record.key.compute != "none";
  if (!can_hide) return std::nullopt;
  const auto exposed = exposed_s(record);
  const auto moving = difference_s(record.communication, record.latency);
  if (!exposed || !moving || *moving <= 0) return std::nullopt;
  return 1 - *exposed / *moving;
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
