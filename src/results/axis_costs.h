// SPDX-License-Identifier: Apache-2.0
// What the axes of a step cost each other; computed from a StepRecord where it is shown.
#pragma once

#include <optional>
#include <vector>

#include "results/step_record.h"

namespace collbench {

/// How much longer an axis takes while others communicate as well.
struct AxisCost {
  model::Axis axis = model::Axis::world;
  std::vector<model::Axis> beside = {};  // one, or all others
  double alone_s = 0;
  double together_s = 0;
  std::optional<double> slowdown = {};  // together / alone; absent where alone it took no time
  /// Whether the intervals of the two medians lie apart: otherwise the slowdown may be noise. False
  /// where there are too few samples for intervals.
  bool certain = false;
  std::optional<double> predicted_slowdown = {};
};

/// Of each axis beside each other one, and beside all where they are more; in the order of the
/// loads.
std::vector<AxisCost> axis_costs(const StepRecord& record);

/// The cost of an axis beside these; nothing where it was not measured.
const AxisCost* find_cost(const std::vector<AxisCost>& costs, model::Axis axis,
                          const std::vector<model::Axis>& beside);

}  // namespace collbench
