// SPDX-License-Identifier: Apache-2.0
#include "plan/link_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace collbench::plan {
namespace {

bool fits(const MeasuredLink& link, Collective operation, bool within_node, Bytes bytes) {
  return link.operation == operation && (link.nodes == 1) == within_node &&
         link.from_bytes <= bytes;
}

/// The nearest group size; of equal ones that which starts at the largest size.
const MeasuredLink* find_measured(const LinkModel& links, Collective operation, GroupPlace group,
                                  Bytes bytes) {
  const auto distance = [&](const MeasuredLink& link) {
    return std::abs(std::log(static_cast<double>(link.ranks) / group.ranks));
  };
  const MeasuredLink* best = nullptr;
  for (const MeasuredLink& link : links.measured) {
    if (!fits(link, operation, group.nodes == 1, bytes)) continue;
    const bool better = best == nullptr || distance(link) < distance(*best) ||
                        (distance(link) == distance(*best) && link.from_bytes > best->from_bytes);
    if (better) best = &link;
  }
  return best;
}

LinkTime scaled(const MeasuredLink& link, const traffic::Traffic& row, int ranks, Bytes bytes) {
  const double rounds = static_cast<double>(row.rounds(ranks)) / row.rounds(link.ranks);
  const double factors = row.bus_factor(ranks) / row.bus_factor(link.ranks);
  return {link.latency_s * rounds, static_cast<double>(bytes) * factors / link.bandwidth_Bps};
}

Link link_of(const LinkModel& links, GroupPlace group) {
  if (group.nodes == 1) return links.node;
  const double lanes = static_cast<double>(group.ranks) / group.nodes;
  Link link = links.network;
  if (lanes > 1) {
    link.bandwidth_Bps = std::min(links.node.bandwidth_Bps, lanes * link.bandwidth_Bps);
  }
  return link;
}

}  // namespace

GroupPlace place_of(const LinkModel& links, const std::vector<int>& members) {
  std::vector<int> nodes;
  for (const int member : members) nodes.push_back(member / links.ranks_per_node);
  std::sort(nodes.begin(), nodes.end());
  const auto distinct = std::unique(nodes.begin(), nodes.end()) - nodes.begin();
  return {static_cast<int>(members.size()), static_cast<int>(distinct)};
}

bool is_measured(const LinkModel& links, Collective operation, bool within_node) {
  return std::any_of(links.measured.begin(), links.measured.end(), [&](const MeasuredLink& link) {
    return fits(link, operation, within_node, std::numeric_limits<Bytes>::max());
  });
}

LinkTime collective_time(const LinkModel& links, Collective operation, GroupPlace group,
                         Bytes bytes) {
  if (group.ranks <= 1) return {};
  const traffic::Traffic& row = traffic::row_of(operation);
  if (const MeasuredLink* link = find_measured(links, operation, group, bytes)) {
    return scaled(*link, row, group.ranks, bytes);
  }
  const Link link = link_of(links, group);
  return {row.rounds(group.ranks) * link.latency_s,
          static_cast<double>(bytes) * row.bus_factor(group.ranks) / link.bandwidth_Bps};
}

LinkTime transfer_time(const LinkModel& links, bool within_node, Bytes bytes) {
  return collective_time(links, Collective::sendrecv, {2, within_node ? 1 : 2}, bytes);
}

}  // namespace collbench::plan
