// SPDX-License-Identifier: Apache-2.0
#include "analysis/scaling.h"

#include <stdexcept>

#include "results/step_parts.h"

namespace collbench {
namespace {

// What must be equal of all steps: everything but how many ranks there are, and of which axis.
StepKey without_degrees(StepKey key) {
  key.ranks = key.nodes = 0;
  key.step.micro_batches = 0;  // a step of fixed work divides them among pipelines
  key.scheme.clear();          // choices about axes that only some of them have
  model::Layout& layout = key.layout;
  layout.dp = layout.tp = layout.cp = layout.pp = 0;
  return key;
}

ScalingPoint point_of(const model::Degree& axis, const StepRecord& step) {
  ScalingPoint point;
  point.degree = step.key.layout.*axis.of;
  point.ranks = step.key.ranks;
  point.step_s = step.step->median_s;
  point.tokens = step.tokens;
  point.tokens_per_s = tokens_per_s(step).value_or(0);
  point.exposed_share = exposed_share(step);
  return point;
}

bool is_measured(const StepRecord& step) { return step.step && step.step->median_s > 0; }

}  // namespace

ScalingReport scaling(const model::Degree& axis, std::span<const StepRecord> steps) {
  ScalingReport report;
  report.axis = axis.name;
  for (const StepRecord& step : steps) {
    if (!(without_degrees(step.key) == without_degrees(steps.front().key))) {
      throw std::logic_error("steps of different measurements have no scaling efficiency");
    }
    if (is_measured(step)) {
      report.points.push_back(point_of(axis, step));
    } else {
      report.left_out.push_back({step.key.layout.*axis.of, step.key.ranks, step.reason});
    }
  }
  if (report.points.empty()) throw std::logic_error("no step was measured to scale from");
  const ScalingPoint base = report.points.front();
  report.base_ranks = base.ranks;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    ScalingPoint& point = report.points[i];
    if (i > 0 && point.ranks <= report.points[i - 1].ranks) {
      throw std::logic_error("steps to scale over ascend in ranks");
    }
    point.efficiency = scaling_efficiency(point, base);
    if (i > 0) point.marginal_efficiency = scaling_efficiency(point, report.points[i - 1]);
  }
  report.weak = report.points.size() < 2 || report.points.back().tokens != base.tokens;
  return report;
}

}  // namespace collbench
