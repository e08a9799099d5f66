// SPDX-License-Identifier: Apache-2.0
#include "comm/wait_policy.h"

#include <algorithm>
#include <map>

namespace collbench {

bool every_rank_has_a_core(const std::vector<RankCores>& ranks) {
  std::map<std::string, std::vector<CoreMask>> machines;
  for (const RankCores& rank : ranks) {
    if (rank.granted < rank.container_ranks) return false;
    machines[rank.machine].push_back(rank.allowed);
  }
  return std::all_of(machines.begin(), machines.end(),
                     [](const auto& machine) { return each_has_a_core(machine.second); });
}

bool every_rank_has_a_core(ControlPlane& control, int local_ranks) {
  const auto machines = control.all_gather_text(machine_id());
  const auto allowed = control.all_gather(allowed_cores());
  const auto granted = control.all_gather(granted_cores());
  const auto container_ranks = control.all_gather(local_ranks);
  std::vector<RankCores> ranks;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    ranks.push_back({machines[i], allowed[i], granted[i], container_ranks[i]});
  }
  return every_rank_has_a_core(ranks);
}

WaitPolicy choose_wait_policy(WaitPolicy asked, bool every_rank_has_a_core) {
  if (asked != WaitPolicy::automatic) return asked;
  return every_rank_has_a_core ? WaitPolicy::spin : WaitPolicy::yield;
}

}  // namespace collbench
