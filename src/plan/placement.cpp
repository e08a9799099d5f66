// SPDX-License-Identifier: Apache-2.0
#include "plan/placement.h"

#include <algorithm>
#include <map>

#include "plan/only_axes.h"
#include "plan/totals.h"

namespace collbench::plan {
namespace {

/// What a rank of a class sends on one axis.
struct Sent {
  std::vector<Total> collectives;
  std::map<int, Bytes> to_peers;  // by position
};

Sent sent_on(const Plan& plan, const RankClass& ranks, model::Axis axis) {
  Sent sent;
  for (const Total& total : totals(plan, ranks)) {
    if (total.axis == axis && total.kind == MessageKind::collective) {
      sent.collectives.push_back(total);
    }
  }
  for (const Op& op : ranks.ops) {
    for (const Message& message : op.messages) {
      if (message.axis != axis || message.kind != MessageKind::send) continue;
      sent.to_peers[message.peer] += message_bytes(message, 2);
    }
  }
  return sent;
}

bool goes_to_each(Collective collective) {
  return collective == Collective::alltoall || collective == Collective::alltoallv ||
         collective == Collective::gather || collective == Collective::scatter;
}

/// The groups of one axis on their nodes.
class AxisOnNodes {
 public:
  AxisOnNodes(const Plan& plan, model::Axis axis, const std::vector<int>& node_of_rank)
      : plan_(plan), node_of_rank_(node_of_rank) {
    for (const RankClass& ranks : plan.classes) sent_.push_back(sent_on(plan, ranks, axis));
    result_.axis = axis;
    result_.group_size = model::size_of(plan.layout, axis);
    result_.groups = 0;
    for (const RankClass& ranks : plan.classes) {
      result_.sent_bytes = std::max(result_.sent_bytes, sent_bytes(plan, ranks, axis));
    }
    for (const std::vector<int>& group : model::groups(plan.layout, axis)) {
      if (group.size() > 1) add(group);
    }
  }

  const model::AxisPlacement& result() const { return result_; }

 private:
  int node_of(int rank) const { return node_of_rank_.at(static_cast<std::size_t>(rank)); }

  void add(const std::vector<int>& group) {
    ++result_.groups;
    std::map<int, int> members;  // by node
    for (const int rank : group) ++members[node_of(rank)];
    if (members.size() == 1) return;
    ++result_.crossing;
    for (const int rank : group) {
      const Bytes bytes = crossing_bytes(rank, group, members);
      result_.crossing_bytes = std::max(result_.crossing_bytes, bytes);
    }
  }

  Bytes crossing_bytes(int rank, const std::vector<int>& group,
                       const std::map<int, int>& members) const {
    const Sent& sent = sent_[class_of(plan_, rank)];
    const auto n = static_cast<Bytes>(group.size());
    const auto elsewhere = n - static_cast<Bytes>(members.at(node_of(rank)));
    const auto nodes = static_cast<Bytes>(members.size());
    Bytes bytes = 0;
    for (const Total& total : sent.collectives) {
      bytes += goes_to_each(total.collective) ? part(total.sent_bytes(), elsewhere, n - 1)
                                              : part(total.sent_bytes(), nodes, n);
    }
    for (const auto& [peer, to_peer] : sent.to_peers) {
      if (node_of(group[static_cast<std::size_t>(peer)]) != node_of(rank)) bytes += to_peer;
    }
    return bytes;
  }

  /// Without overflow.
  static Bytes part(Bytes whole, Bytes numerator, Bytes denominator) {
    return whole / denominator * numerator + whole % denominator * numerator / denominator;
  }

  const Plan& plan_;
  const std::vector<int>& node_of_rank_;
  std::vector<Sent> sent_;  // by class
  model::AxisPlacement result_;
};

}  // namespace

std::vector<model::AxisPlacement> placement(const Plan& plan,
                                            const std::vector<int>& node_of_rank) {
  std::vector<model::AxisPlacement> all;
  for (const model::Axis axis : axes_of(plan)) {
    all.push_back(AxisOnNodes(plan, axis, node_of_rank).result());
  }
  return all;
}

std::vector<int> nodes_in_order(int ranks, int ranks_per_node) {
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / ranks_per_node);
  return nodes;
}

}  // namespace collbench::plan
