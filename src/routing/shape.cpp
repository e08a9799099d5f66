// SPDX-License-Identifier: Apache-2.0
#include "routing/shape.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/errors.h"

namespace collbench::routing {
namespace {

/// Neighbours in the group that share a node, where these are as many on every node.
int neighbours(const model::Layout& layout, int ranks_per_node) {
  const std::vector<int> group = model::group(layout, model::Axis::ep, 0);
  const int first_node = group.front() / ranks_per_node;
  std::size_t together = 0;
  while (together < group.size() && group[together] / ranks_per_node == first_node) ++together;
  if (group.size() % together != 0) return 1;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i] / ranks_per_node != group[i / together * together] / ranks_per_node) return 1;
  }
  return static_cast<int>(together);
}

}  // namespace

Shape shape_of(const RoutingSpec& spec, const model::Model& model, const model::Layout& layout,
               const model::Step& step, int ranks_per_node) {
  if (!model.experts) throw UserError(fmt::format("{} has no experts to route to", model.name));
  const model::Experts& experts = *model.experts;
  const auto parts =
      static_cast<Count>(layout.cp) * static_cast<Count>(step.sequence_parallel ? layout.tp : 1);
  const Shape shape = {
      .ranks = layout.ep,
      .experts = experts.routed,
      .per_token = experts.per_token,
      .tokens = step.sequence * step.micro_batch / parts,
      .groups = spec.groups.value_or(GroupLimit{experts.groups, experts.groups_per_token}),
      .ranks_per_node = neighbours(layout, ranks_per_node)};
  require_possible(shape);
  return shape;
}

void require_possible(const Shape& shape) {
  if (shape.experts > std::numeric_limits<std::uint16_t>::max()) {
    throw UserError(fmt::format("{} experts are more than can be routed to", shape.experts));
  }
  if (shape.experts % shape.ranks != 0) {
    throw UserError(
        fmt::format("{} experts do not divide among {} ranks", shape.experts, shape.ranks));
  }
  const GroupLimit& limit = shape.groups;
  if (shape.experts % limit.groups != 0) {
    throw UserError(
        fmt::format("{} experts do not divide into {} groups", shape.experts, limit.groups));
  }
  const int choice = limit.per_token * (shape.experts / limit.groups);
  if (shape.per_token > choice) {
    throw UserError(fmt::format("a token needs {} experts, and its groups have only {}",
                                shape.per_token, choice));
  }
}

Count capacity_rows(const Shape& shape, double factor) {
  const double mean =
      static_cast<double>(shape.tokens * static_cast<Count>(shape.per_token)) / shape.experts;
  return static_cast<Count>(std::ceil(mean * factor));
}

}  // namespace collbench::routing
