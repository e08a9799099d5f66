// SPDX-License-Identifier: Apache-2.0
#include "results/axis_costs.h"

#include <algorithm>

namespace collbench {
namespace {

/// One axis of a load, measured or predicted or both.
struct Part {
  const StepSeries* busy = nullptr;
  std::optional<double> predicted_s;
};

Part part_of(const AxisLoad& load, std::size_t index) {
  Part part;
  if (!load.busy.empty()) part.busy = &load.busy.at(index);
  if (!load.predicted_busy_s.empty()) part.predicted_s = load.predicted_busy_s.at(index);
  return part;
}

std::optional<double> ratio(double together, double alone) {
  if (alone <= 0) return std::nullopt;
  return together / alone;
}

bool lie_apart(const StepSeries& one, const StepSeries& other) {
  if (!one.interval95_s || !other.interval95_s) return false;
  return one.interval95_s->high < other.interval95_s->low ||
         other.interval95_s->high < one.interval95_s->low;
}

AxisCost cost(model::Axis axis, const Part& alone, const Part& together) {
  AxisCost cost{.axis = axis};
  if (alone.busy != nullptr && together.busy != nullptr) {
    cost.alone_s = alone.busy->median_s;
    cost.together_s = together.busy->median_s;
    cost.slowdown = ratio(cost.together_s, cost.alone_s);
    cost.certain = lie_apart(*alone.busy, *together.busy);
  }
  if (alone.predicted_s && together.predicted_s) {
    cost.predicted_slowdown = ratio(*together.predicted_s, *alone.predicted_s);
  }
  return cost;
}

}  // namespace

std::vector<AxisCost> axis_costs(const StepRecord& record) {
  const std::vector<AxisLoad>& loads = record.axis_loads;
  std::vector<AxisCost> costs;
  for (const AxisLoad& together : loads) {
    if (together.axes.size() < 2) continue;
    for (std::size_t i = 0; i < together.axes.size(); ++i) {
      const model::Axis axis = together.axes[i];
      const auto alone = std::ranges::find(loads, std::vector<model::Axis>{axis}, &AxisLoad::axes);
      if (alone == loads.end()) continue;
      costs.push_back(cost(axis, part_of(*alone, 0), part_of(together, i)));
      costs.back().beside = together.axes;
      std::erase(costs.back().beside, axis);
    }
  }
  return costs;
}

const AxisCost* find_cost(const std::vector<AxisCost>& costs, model::Axis axis,
                          const std::vector<model::Axis>& beside) {
  for (const AxisCost& cost : costs) {
    if (cost.axis == axis && cost.beside == beside) return &cost;
  }
  return nullptr;
}

}  // namespace collbench
