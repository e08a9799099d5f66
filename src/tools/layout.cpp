// SPDX-License-Identifier: Apache-2.0
// `collbench layout`: which ranks form the groups of each axis, and on which nodes they lie.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/axis_groups.h"
#include "model/model_json.h"
#include "results/table.h"
#include "tools/commands.h"
#include "tools/model_text.h"

namespace collbench {
namespace {

using model::AxisGroups;

constexpr std::size_t kMostGroups = 8;   // of an axis in the overview of all
constexpr std::size_t kMostNumbers = 8;  // that are spelled out where they follow a rule

std::vector<AxisGroups> asked_for(const LayoutOptions& options) {
  std::vector<AxisGroups> axes;
  for (const model::AxisRow& row : model::kAxes) {
    const bool shown =
        options.axis ? row.axis == *options.axis : model::tells_something(options.layout, row.axis);
    if (!shown) continue;
    axes.push_back(
        model::axis_groups(options.layout, row.axis, options.ranks_per_node, options.rank));
  }
  return axes;
}

bool evenly_spaced(const std::vector<int>& numbers) {
  for (std::size_t i = 2; i < numbers.size(); ++i) {
    if (numbers[i] - numbers[i - 1] != numbers[1] - numbers[0]) return false;
  }
  return true;
}

/// "0 8 16 ... 2040": all of them, unless the rest follows from the first three.
std::string spelled(const std::vector<int>& numbers) {
  if (numbers.size() <= kMostNumbers || !evenly_spaced(numbers)) {
    return fmt::format("{}", fmt::join(numbers, " "));
  }
  return fmt::format("{} {} {} ... {}", numbers[0], numbers[1], numbers[2], numbers.back());
}

std::string describe(const AxisGroups& axis, bool whole) {
  const std::size_t most = whole ? axis.groups.size() : kMostGroups;
  std::string text = comment_line(
      fmt::format("{}: {}; {} group{}, {} across nodes", name_of(axis.axis),
                  model::kAxes[static_cast<std::size_t>(axis.axis)].what, axis.groups.size(),
                  axis.groups.size() == 1 ? "" : "s", axis.crossing));
  for (std::size_t i = 0; i < std::min(axis.groups.size(), most); ++i) {
    text += fmt::format("  ranks {:<24} node{} {}\n", spelled(axis.groups[i]),
                        axis.nodes[i].size() == 1 ? "" : "s", spelled(axis.nodes[i]));
  }
  if (axis.groups.size() > most) {
    text += fmt::format("  and {} more: --axis {} prints them\n", axis.groups.size() - most,
                        name_of(axis.axis));
  }
  return text;
}

}  // namespace

ExitStatus run(const LayoutOptions& options) {
  const std::vector<AxisGroups> axes = asked_for(options);
  if (options.json) {
    fmt::print("{}", model::to_json(options.layout, axes));
    return ExitStatus::ok;
  }
  fmt::print("{}", comment_line(fmt::format("Layout: {}, {} per node", describe(options.layout),
                                            options.ranks_per_node)));
  for (const AxisGroups& axis : axes) fmt::print("{}", describe(axis, options.axis.has_value()));
  return ExitStatus::ok;
}

}  // namespace collbench
