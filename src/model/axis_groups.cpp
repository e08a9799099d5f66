// SPDX-License-Identifier: Apache-2.0
#include "model/axis_groups.h"

namespace collbench::model {

bool tells_something(const Layout& layout, Axis axis) {
  if (size_of(layout, axis) == 1) return false;
  const bool experts_differ = layout.ep > 1 || layout.etp;
  switch (axis) {
    case Axis::ep:
    case Axis::etp:
    case Axis::etp_ep:
    case Axis::edp:
      return experts_differ;
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

}  // namespace collbench::model
