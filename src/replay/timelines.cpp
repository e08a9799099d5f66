// SPDX-License-Identifier: Apache-2.0
#include "replay/timelines.h"

#include <algorithm>

namespace collbench::replay {
namespace {

double computing_s(const plan::RankClass& ranks, const std::vector<plan::OpTime>& times) {
  double sum = 0;
  for (std::size_t op = 0; op < ranks.ops.size(); ++op) {
    if (ranks.ops[op].kind == plan::OpKind::compute) sum += times[op].end_s - times[op].start_s;
  }
  return sum;
}

// Ranks that come early wait, which is no communication.
double exchange_s(const plan::Exchange& exchange, const plan::Timeline& timeline) {
  double start_s = 0, end_s = 0;
  for (const plan::MessageRef& member : exchange.members) {
    const plan::OpTime& time = timeline[member.rank_class][member.op];
    start_s = std::max(start_s, time.start_s);
    end_s = std::max(end_s, time.end_s);
  }
  return std::max(end_s - start_s, 0.0);
}

std::size_t most_ops(const plan::Plan& plan) {
  std::size_t most = 0;
  for (const plan::RankClass& ranks : plan.classes) most = std::max(most, ranks.ops.size());
  return most;
}

}  // namespace

plan::Timeline gather_times(ControlPlane& control, const plan::Plan& plan,
                            const std::vector<plan::OpTime>& mine) {
  const std::size_t most = most_ops(plan);
  std::vector<plan::OpTime> sent = mine;
  sent.resize(most);
  std::vector<plan::OpTime> all(most * static_cast<std::size_t>(control.size()));
  control.all_gather_bytes(sent.data(), most * sizeof(plan::OpTime), all.data());
  plan::Timeline timeline;
  for (const plan::RankClass& ranks : plan.classes) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(
                                         static_cast<std::size_t>(ranks.first_rank) * most);
    timeline.emplace_back(first, first + static_cast<std::ptrdiff_t>(ranks.ops.size()));
  }
  return timeline;
}

BusyTimes busy_times(const plan::Plan& plan, const plan::Matching& matching,
                     const plan::Timeline& timeline) {
  BusyTimes busy;
  for (std::size_t c = 0; c < plan.classes.size(); ++c) {
    busy.computing_s = std::max(busy.computing_s, computing_s(plan.classes[c], timeline[c]));
  }
  for (const plan::Exchange& exchange : matching.exchanges) {
    busy.communication_s += exchange_s(exchange, timeline);
  }
  return busy;
}

std::vector<double> longest_axis_times(ControlPlane& control, const plan::Plan& plan,
                                       const plan::Matching& matching,
                                       std::span<const model::Axis> axes,
                                       const std::vector<plan::OpTime>& mine) {
  const std::size_t most = most_ops(plan);
  const auto run_ranks = static_cast<std::size_t>(control.size());
  std::vector<double> starts_s(most);
  for (std::size_t op = 0; op < mine.size(); ++op) starts_s[op] = mine[op].start_s;
  std::vector<double> all_starts_s(most * run_ranks);
  control.all_gather_bytes(starts_s.data(), most * sizeof(double), all_starts_s.data());
  const plan::StartOf start_of = [&](int rank, plan::OpIndex op) {
    return all_starts_s[static_cast<std::size_t>(rank) * most + op];
  };
  std::vector<double> own_s(axes.size());
  if (!mine.empty()) {
    own_s = plan::axis_times(plan, matching, axes, control.rank(), mine, start_of);
  }
  std::vector<double> all_s(axes.size() * run_ranks);
  control.all_gather_bytes(own_s.data(), axes.size() * sizeof(double), all_s.data());
  std::vector<double> longest_s(axes.size());
  for (std::size_t i = 0; i < all_s.size(); ++i) {
    double& longest = longest_s[i % axes.size()];
    longest = std::max(longest, all_s[i]);
  }
  return longest_s;
}

std::optional<double> stretch(double together_s, double alone_s) {
  if (alone_s <= 0) return std::nullopt;
  return together_s / alone_s;
}

}  // namespace collbench::replay
