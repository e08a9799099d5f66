// SPDX-License-Identifier: Apache-2.0
#include "app/balanced_steps.h"

#include <algorithm>

#include "plan/totals.h"

namespace collbench {
namespace {

BalancedStep untimed(const plan::Plan& plan) {
  const plan::LoadImbalance loads = plan::load_imbalance(plan);
  BalancedStep step{.expert_max_over_mean = loads.experts, .rank_max_over_mean = loads.ranks};
  for (const plan::RankClass& ranks : plan.classes) {
    step.sent_bytes = std::max(step.sent_bytes, plan::sent_bytes(plan, ranks));
  }
  return step;
}

}  // namespace

BalancedSteps follow(plan::BalancedTraining training,
                     const std::function<void(const plan::Plan&, BalancedStep&)>& time) {
  BalancedSteps all;
  while (!training.is_over()) {
    all.last = training.next();
    all.steps.push_back(untimed(all.last));
    time(all.last, all.steps.back());
  }
  return all;
}

}  // namespace collbench
