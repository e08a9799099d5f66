// SPDX-License-Identifier: Apache-2.0
#include "app/run_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/weights.h"
#include "base/counted.h"
#include "base/errors.h"
#include "traffic/program_name.h"

namespace collbench {
namespace {

std::size_t most_ranks(const Groups& groups) {
  std::size_t most = 0;
  for (const std::vector<int>& ranks : groups.ranks_of_group) most = std::max(most, ranks.size());
  return most;
}

// The rank's position in the group; in a group of others, the first.
int position(const std::vector<int>& ranks, int rank) {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  return found == ranks.end() ? 0 : static_cast<int>(found - ranks.begin());
}

// Why each group measures nothing, of its last size; groups that give one reason share it.
std::vector<std::string> reasons(const RunPlan& plan) {
  std::vector<std::string> different;
  for (const PlannedGroup& group : plan.groups) {
    const std::string& reason = group.sweeps.front().sizes.back().skip_reason;
    const bool known = std::find(different.begin(), different.end(), reason) != different.end();
    if (!known) different.push_back(reason);
  }
  return different;
}

}  // namespace

RunPlan plan_run(ControlPlane& control, const CollectiveOptions& options,
                 const traffic::Traffic& traffic) {
  const Groups groups = make_groups(options.split, control.size());
  const auto most = static_cast<int>(most_ranks(groups));
  CollectiveOptions sized = options;
  const std::string matrix = read_matrix(control, options, traffic);
  RunPlan plan;
  plan.mine =
      static_cast<std::size_t>(groups.group_of_rank[static_cast<std::size_t>(control.rank())]);
  for (const std::vector<int>& ranks : groups.ranks_of_group) {
    const RankPlace place = {position(ranks, control.rank()), static_cast<int>(ranks.size())};
    PlannedGroup group;
    group.ranks = ranks;
    group.weights = weights_of(options, traffic, matrix, place.ranks);
    if (options.sized_by_file) {
      sized.sweep.min_bytes = sized.sweep.max_bytes = group.weights->largest_sum();
    }
    group.sweeps =
        plan_sweeps(sized, traffic, place, group.weights ? &*group.weights : nullptr, most);
    plan.groups.push_back(std::move(group));
  }
  plan.sweep = sized.sweep;  // of all groups the same: so is the file
  return plan;
}

Bytes largest_message(const RunPlan& plan) {
  Bytes largest = 0;
  for (const PlannedGroup& group : plan.groups) {
    largest = std::max(largest, largest_message(group.sweeps));
  }
  return largest;
}

BufferNeed buffer_need(const RunPlan& plan, const Method& method) {
  return {largest_message(plan), method.grouped_operations, method.offset_elements};
}

void refuse_empty(const RunPlan& plan) {
  if (largest_message(plan) > 0) return;
  throw UserError(
      fmt::format("nothing of this run can be measured: {}", fmt::join(reasons(plan), "; ")));
}

RunPlan plan_sizes(ControlPlane& control, const CollectiveOptions& options,
                   const traffic::Traffic& traffic) {
  CollectiveOptions one_of_each_size = options;
  one_of_each_size.ops.resize(1);
  if (!options.root) one_of_each_size.root = 0;
  return plan_run(control, one_of_each_size, traffic);
}

std::string describe_run(const RunPlan& plan, const CollectiveOptions& options,
                         const traffic::Traffic& traffic, int ranks) {
  std::string text = fmt::format("# {} on {}; nothing is measured\n",
                                 traffic::program_name(traffic), counted(ranks, "rank"));
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const PlannedGroup& group = plan.groups[g];
    if (options.split) {
      text += fmt::format("# group {} of {} by {}: ranks {}\n", g, plan.groups.size(),
                          to_text(*options.split), fmt::join(group.ranks, ", "));
    }
    text += describe_sweeps(group.sweeps, traffic, group.weights ? &*group.weights : nullptr);
  }
  text += fmt::format("# each rank allocates {}\n",
                      format_bytes(2 * buffer_need(plan, options.sampling.method).bytes()));
  if (!options.interfere) return text;
  const Bytes beside_bytes = options.interfere->message_bytes.value_or(largest_message(plan));
  return text + fmt::format("# and {} for {} beside each row\n", format_bytes(2 * beside_bytes),
                            to_text(*options.interfere));
}

}  // namespace collbench
