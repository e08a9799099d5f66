// SPDX-License-Identifier: Apache-2.0
#include "app/step_costs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "plan/print.h"
#include "plan/totals.h"
#include "results/step_parts.h"

namespace collbench {
namespace {

double most_flops(const plan::Plan& plan) {
  double most = 0;
  for (const plan::RankClass& ranks : plan.classes) {
    most = std::max(most, static_cast<double>(plan::flops(ranks)));
  }
  return most;
}

// How fast products are, by whatever is known of it.
std::optional<double> flops_of_computing(const StepRecord& record, const StepContext& context,
                                         const plan::Plan& plan) {
  const double given = context.options.costs.compute.flops;
  switch (context.options.replay.compute) {
    case replay::Compute::none:
      return std::numeric_limits<double>::infinity();
    case replay::Compute::busy:
      return given;
    case replay::Compute::gemm:
      break;
  }
  if (context.options.rate_is_given) return given;
  if (!record.computing || record.computing->median_s <= 0) return std::nullopt;
  return most_flops(plan) / record.computing->median_s;
}

// Of the ranks of the plan, where nodes have equally many.
int ranks_per_node(const StepContext& context, int ranks) {
  std::map<int, int> ranks_on_host;
  for (int rank = 0; rank < ranks; ++rank) {
    ++ranks_on_host[context.host_of_rank[static_cast<std::size_t>(rank)]];
  }
  int most = 1;
  for (const auto& [host, count] : ranks_on_host) most = std::max(most, count);
  return most;
}

// For operations that the model does not know: each message takes what it took alone, and smaller
// ones their part of the smallest.
void add_links_of_messages(plan::LinkModel& links, const StepRecord& record,
                           const plan::Plan& plan) {
  std::map<std::tuple<Collective, int, int>, std::vector<plan::MeasuredLink>> by_group;
  for (const StepMessage& message : record.messages) {
    const auto operation = operation_of(message);
    std::vector<int> members = model::group(plan.layout, message.axis, 0);
    if (operation == Collective::sendrecv) members.resize(2);
    const plan::GroupPlace place = plan::place_of(links, members);
    if (operation && plan::is_measured(links, *operation, place.nodes == 1)) continue;
    if (!operation || !message.time_s || *message.time_s <= 0) continue;
    by_group[{*operation, place.ranks, place.nodes}].push_back(
        {*operation, place.ranks, place.nodes, message.message_bytes, 0,
         static_cast<double>(message.message_bytes) / *message.time_s});
  }
  for (auto& [group, measured] : by_group) {
    std::ranges::min_element(measured, {}, &plan::MeasuredLink::from_bytes)->from_bytes = 0;
    links.measured.insert(links.measured.end(), measured.begin(), measured.end());
  }
}

}  // namespace

std::optional<plan::Costs> costs_of(const StepRecord& record, const StepContext& context,
                                    const plan::Plan& plan) {
  plan::Costs costs = context.options.costs;
  if (!context.options.nodes_are_given) {
    costs.links.ranks_per_node = ranks_per_node(context, record.key.ranks);
  }
  const auto flops = flops_of_computing(record, context, plan);
  const bool is_given = context.options.links_are_given;
  if (!is_given) add_links_of_messages(costs.links, record, plan);
  if (!flops || (!is_given && !plan::all_measured(plan, costs.links))) return std::nullopt;
  costs.compute.flops = *flops;
  return costs;
}

}  // namespace collbench
