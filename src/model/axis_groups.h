// SPDX-License-Identifier: Apache-2.0
// The groups of a layout with the nodes they lie on, as plain values to print.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/layout.h"

namespace collbench::model {

struct AxisGroups {
  Axis axis = Axis::world;
  std::vector<std::vector<int>> groups;  // global ranks
  std::vector<std::vector<int>> nodes;   // of each group
  int crossing = 0;                      // groups on more than one node
};

/// Whether the groups of an axis are worth a look: they have several ranks, and are not those of
/// another axis or all ranks by rule.
bool tells_something(const Layout& layout, Axis axis);

/// All groups of an axis, or the one that `rank` belongs to; without ranks that are alone.
AxisGroups axis_groups(const Layout& layout, Axis axis, int ranks_per_node,
                       std::optional<int> rank);

/// For people: what the axis is for, then a line for each of at most `most` groups. `hint` says how
/// to see the others.
std::string describe(const AxisGroups& groups, std::size_t most, std::string_view hint);

}  // namespace collbench::model
