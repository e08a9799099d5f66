// SPDX-License-Identifier: Apache-2.0
#include "results/axis_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "results/axis_costs.h"
#include "results/table.h"

namespace collbench {
namespace {

using Axes = std::vector<model::Axis>;
using Costs = std::vector<AxisCost>;
using Cell = std::function<std::string(const AxisCost*)>;

constexpr int kWidth = 15;

/// In the order of the record's loads.
Axes axes_of(const StepRecord& record) {
  Axes axes;
  for (const AxisLoad& load : record.axis_loads) {
    if (load.axes.size() == 1) axes.push_back(load.axes.front());
  }
  return axes;
}

std::string line(std::string_view name, const std::string& alone,
                 const std::vector<std::string>& cells) {
  std::string text = fmt::format("    {:<15}{:>12}", name, alone);
  for (const std::string& cell : cells) text += fmt::format("{:>{}}", cell, kWidth);
  return text + "\n";
}

/// Beside each axis, and beside all others where they are more than one.
std::vector<std::string> cells(const Axes& axes, model::Axis axis, const Costs& costs,
                               const Cell& cell) {
  std::vector<std::string> texts;
  for (const model::Axis beside : axes) {
    texts.push_back(beside == axis ? "-" : cell(find_cost(costs, axis, {beside})));
  }
  Axes others = axes;
  std::erase(others, axis);
  if (others.size() > 1) texts.push_back(cell(find_cost(costs, axis, others)));
  return texts;
}

std::string measured(const AxisCost* cost) {
  if (cost == nullptr || !cost->slowdown) return "N/A";
  return fmt::format("{:.2f}{}", *cost->slowdown, cost->certain ? "" : " ?");
}

std::string predicted(const AxisCost* cost) {
  if (cost == nullptr || !cost->predicted_slowdown) return "N/A";
  return fmt::format("{:.2f}", *cost->predicted_slowdown);
}

std::string heading(const Axes& axes) {
  std::string text =
      comment_line("what axes cost each other: how many times as long each communicates beside") +
      fmt::format("#   {:<15}{:>12}", "axis", "alone (ms)");
  for (const model::Axis axis : axes) text += fmt::format("{:>{}}", name_of(axis), kWidth);
  if (axes.size() > 2) text += fmt::format("{:>{}}", "all others", kWidth);
  return text + "\n";
}

}  // namespace

std::string axis_table(const StepRecord& record) {
  const Axes axes = axes_of(record);
  if (axes.empty()) return "";
  const Costs costs = axis_costs(record);
  std::string text = heading(axes);
  bool doubtful = false;
  for (const model::Axis axis : axes) {
    const auto alone = std::ranges::find(record.axis_loads, Axes{axis}, &AxisLoad::axes);
    const bool is_measured = !alone->busy.empty();
    if (is_measured) {
      text += line(name_of(axis), fmt::format("{:.4f}", 1e3 * alone->busy.front().median_s),
                   cells(axes, axis, costs, measured));
    }
    if (alone->predicted_busy_s.empty()) continue;
    text += line(is_measured ? "  predicted" : name_of(axis),
                 fmt::format("{:.4f}", 1e3 * alone->predicted_busy_s.front()),
                 cells(axes, axis, costs, predicted));
  }
  for (const AxisCost& cost : costs) doubtful |= cost.slowdown && !cost.certain;
  if (doubtful) text += comment_line("?: within the noise, or too few samples to tell");
  return text;
}

}  // namespace collbench
