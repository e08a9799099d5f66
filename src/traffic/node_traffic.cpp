// SPDX-License-Identifier: Apache-2.0
#include "traffic/node_traffic.h"

#include <algorithm>
#include <map>

#include "traffic/sizes.h"

namespace collbench::traffic {
namespace {

using NodeOfRank = std::span<const int>;

/// The ranks of every node; 0 where nodes differ in it.
int ranks_per_node(const std::map<int, int>& ranks_of_node) {
  const int first = ranks_of_node.begin()->second;
  const bool alike = std::all_of(ranks_of_node.begin(), ranks_of_node.end(),
                                 [&](const auto& node) { return node.second == first; });
  return alike ? first : 0;
}

/// The most that leaves a node; `leaving(rank)` is what of a rank leaves its own.
template <class Leaving>
double busiest(NodeOfRank nodes, Leaving leaving) {
  std::map<int, double> of_node;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) of_node[nodes[rank]] += leaving(rank);
  double most = 0;
  for (const auto& [node, bytes] : of_node) most = std::max(most, bytes);
  return most;
}

double to_the_next(NodeOfRank nodes) {
  return busiest(nodes, [&](std::size_t rank) {
    return nodes[(rank + 1) % nodes.size()] == nodes[rank] ? 0.0 : 1.0;
  });
}

/// In each step as many blocks as there have been ranks between partners.
double to_partners(NodeOfRank nodes) {
  return busiest(nodes, [&](std::size_t rank) {
    double blocks = 0;
    for (std::size_t step = 1; step < nodes.size(); step *= 2) {
      if (nodes[rank ^ step] != nodes[rank]) blocks += static_cast<double>(step);
    }
    return blocks / static_cast<double>(nodes.size());
  });
}

}  // namespace

std::optional<double> node_factor(const Traffic& traffic, NodeOfRank node_of_rank) {
  if (!why_not_on(traffic, static_cast<int>(node_of_rank.size())).empty()) return std::nullopt;
  std::map<int, int> ranks_of_node;
  for (const int node : node_of_rank) ++ranks_of_node[node];
  const auto k = static_cast<int>(ranks_of_node.size());
  if (k < 2) return std::nullopt;
  const int m = ranks_per_node(ranks_of_node);
  if (m == 0) return std::nullopt;
  switch (traffic.collective) {
    case Collective::all_reduce:
      return 2 * all_but_one(k);
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::gather:
    case Collective::scatter:
      return all_but_one(k);
    case Collective::alltoall:
      return m * all_but_one(k);
    case Collective::broadcast:
    case Collective::reduce:
      return 1;
    case Collective::sendrecv:
      return to_the_next(node_of_rank);
    case Collective::hypercube:
      return to_partners(node_of_rank);
    case Collective::alltoallv:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace collbench::traffic
