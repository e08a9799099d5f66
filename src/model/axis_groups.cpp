// SPDX-License-Identifier: Apache-2.0
#include "model/axis_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"

namespace collbench::model {
namespace {

constexpr std::size_t kMostSpelled = 8;  // numbers that follow a rule

bool evenly_spaced(const std::vector<int>& numbers) {
  for (std::size_t i = 2; i < numbers.size(); ++i) {
    if (numbers[i] - numbers[i - 1] != numbers[1] - numbers[0]) return false;
  }
  return true;
}

/// "0 8 16 ... 2040": all of them, unless the rest follows from the first three.
std::string spelled(const std::vector<int>& numbers) {
  if (numbers.size() <= kMostSpelled || !evenly_spaced(numbers)) {
    return fmt::format("{}", fmt::join(numbers, " "));
  }
  return fmt::format("{} {} {} ... {}", numbers[0], numbers[1], numbers[2], numbers.back());
}

}  // namespace

bool tells_something(const Layout& layout, Axis axis) {
  if (size_of(layout, axis) == 1) return false;
  const bool experts_differ = layout.ep > 1 || layout.etp;
  switch (axis) {
    case Axis::ep:
    case Axis::etp:
    case Axis::etp_ep:
    case Axis::edp:
      return experts_differ;
    case Axis::cp_a2a:
    case Axis::cp_p2p:
      return layout.cp_a2a > 1;
    case Axis::dp_replicate:
    case Axis::dp_shard_cp:
      return layout.replicas > 1;
    case Axis::edp_replicate:
    case Axis::edp_shard:
      return layout.replicas > 1 && experts_differ;
    case Axis::dp_cp:
      return layout.cp > 1;
    case Axis::tp_cp:
      return layout.cp > 1 && layout.tp > 1;
    case Axis::tp_pp:
      return layout.pp > 1 && layout.tp > 1;
    case Axis::tp_dp_cp:
      return layout.pp > 1;
    case Axis::world:
      return false;
    default:
      return true;
  }
}

AxisGroups axis_groups(const Layout& layout, Axis axis, int ranks_per_node,
                       std::optional<int> rank) {
  AxisGroups all{.axis = axis, .groups = {}, .nodes = {}};
  if (rank) {
    all.groups.push_back(group(layout, axis, *rank));
  } else {
    all.groups = groups(layout, axis);
  }
  // Between first and last stage ranks are alone on the axis of the embedding.
  if (size_of(layout, axis) > 1) {
    std::erase_if(all.groups, [](const std::vector<int>& group) { return group.size() == 1; });
  }
  for (const std::vector<int>& group : all.groups) {
    all.nodes.push_back(nodes_of(group, ranks_per_node));
    if (all.nodes.back().size() > 1) ++all.crossing;
  }
  return all;
}

std::string describe(const AxisGroups& groups, std::size_t most, std::string_view hint) {
  const std::size_t all = groups.groups.size(), shown = std::min(all, most);
  const AxisRow& row = kAxes[static_cast<std::size_t>(groups.axis)];
  std::string text = fmt::format("# {}: {}; {}, {} across nodes\n", row.name, row.what,
                                 counted(all, "group"), groups.crossing);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::vector<int>& nodes = groups.nodes[i];
    text += fmt::format("  ranks {:<24} node{} {}\n", spelled(groups.groups[i]),
                        nodes.size() == 1 ? "" : "s", spelled(nodes));
  }
  if (shown < all) text += fmt::format("  and {} more: {}\n", all - shown, hint);
  return text;
}

}  // namespace collbench::model
