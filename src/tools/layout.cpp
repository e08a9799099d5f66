// SPDX-License-Identifier: Apache-2.0
// `collbench layout`: which ranks form the groups of each axis, and on which nodes they lie.
#include <fmt/format.h>

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

constexpr std::size_t kMostGroups = 8;  // of an axis in the overview of all

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

std::string describe(const AxisGroups& axis, bool whole) {
  const std::string hint = fmt::format("--axis {} prints them", name_of(axis.axis));
  return model::describe(axis, whole ? axis.groups.size() : kMostGroups, hint);
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
