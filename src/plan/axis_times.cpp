// SPDX-License-Identifier: Apache-2.0
#include "plan/axis_times.h"

#include <algorithm>
#include <limits>
#include <map>

namespace collbench::plan {
namespace {

/// A rank of a group and its class.
struct Member {
  int rank = 0;
  std::uint32_t rank_class = 0;
};

/// Of one rank: when the last of those that it meets in an exchange has begun it.
class Meetings {
 public:
  Meetings(const Plan& plan, int rank, const StartOf& start_of)
      : plan_(plan), rank_(rank), start_of_(start_of) {}

  double begun_s(const Exchange& exchange, const MessageRef& own) {
    const Message& message = plan_.classes[own.rank_class].ops[own.op].messages[own.message];
    const std::vector<Member>& group = group_of(message.axis);
    if (message.kind != MessageKind::collective) {
      const Member& peer = group[static_cast<std::size_t>(message.peer)];
      return std::max(start_of_(rank_, own.op), start_s(exchange, peer));
    }
    double last_s = -std::numeric_limits<double>::infinity();
    for (const Member& member : group) last_s = std::max(last_s, start_s(exchange, member));
    return last_s;
  }

 private:
  double start_s(const Exchange& exchange, const Member& member) const {
    const auto ref =
        std::ranges::find(exchange.members, member.rank_class, &MessageRef::rank_class);
    return start_of_(member.rank, ref->op);
  }

  const std::vector<Member>& group_of(model::Axis axis) {
    const auto [found, is_new] = groups_.try_emplace(axis);
    if (is_new) {
      for (const int rank : model::group(plan_.layout, axis, rank_)) {
        found->second.push_back({rank, static_cast<std::uint32_t>(class_of(plan_, rank))});
      }
    }
    return found->second;
  }

  const Plan& plan_;
  const int rank_;
  const StartOf& start_of_;
  std::map<model::Axis, std::vector<Member>> groups_;
};

}  // namespace

std::vector<double> axis_times(const Plan& plan, const Matching& matching,
                               std::span<const model::Axis> axes, int rank,
                               const std::vector<OpTime>& own, const StartOf& start_of) {
  const auto rank_class = static_cast<std::uint32_t>(class_of(plan, rank));
  const std::vector<Op>& ops = plan.classes[rank_class].ops;
  std::vector<double> begun_s(ops.size());
  Meetings meetings(plan, rank, start_of);
  for (const Exchange& exchange : matching.exchanges) {
    for (const MessageRef& member : exchange.members) {
      if (member.rank_class != rank_class) continue;
      double& latest_s = begun_s[member.op];
      latest_s = std::max(latest_s, meetings.begun_s(exchange, member));
    }
  }
  std::vector<double> sums(axes.size());
  for (std::size_t op = 0; op < ops.size(); ++op) {
    if (ops[op].messages.empty()) continue;
    const auto axis = std::ranges::find(axes, ops[op].messages.front().axis);
    if (axis == axes.end()) continue;
    sums[static_cast<std::size_t>(axis - axes.begin())] +=
        std::max(own[op].end_s - begun_s[op], 0.0);
  }
  return sums;
}

std::vector<double> predicted_axis_times(const Plan& plan, std::span<const model::Axis> axes,
                                         const Costs& costs) {
  const Matching matching = match(plan);
  const Timeline timeline = predict(plan, matching, costs);
  const StartOf start_of = [&](int rank, OpIndex op) {
    return timeline[class_of(plan, rank)][op].start_s;
  };
  std::vector<double> longest(axes.size());
  for (std::size_t c = 0; c < plan.classes.size(); ++c) {
    const std::vector<double> of_class =
        axis_times(plan, matching, axes, plan.classes[c].first_rank, timeline[c], start_of);
    for (std::size_t a = 0; a < axes.size(); ++a) longest[a] = std::max(longest[a], of_class[a]);
  }
  return longest;
}

std::vector<std::vector<model::Axis>> axes_together(std::span<const model::Axis> axes) {
  std::vector<std::vector<model::Axis>> together;
  for (const model::Axis axis : axes) together.push_back({axis});
  for (std::size_t one = 0; one < axes.size(); ++one) {
    for (std::size_t other = one + 1; other < axes.size(); ++other) {
      together.push_back({axes[one], axes[other]});
    }
  }
  if (axes.size() > 2) together.emplace_back(axes.begin(), axes.end());
  return together;
}

}  // namespace collbench::plan
