// SPDX-License-Identifier: Apache-2.0
// The steps of --balance, one after the other.
#pragma once

#include <functional>
#include <vector>

#include "plan/balanced_training.h"
#include "results/step_record.h"

namespace collbench {

/// All of them, and the plan of the last.
struct BalancedSteps {
  std::vector<BalancedStep> steps;
  plan::Plan last;
};

/// `time` is called with each plan, and what is known of its step without a clock, to add times.
BalancedSteps follow(plan::BalancedTraining training,
                     const std::function<void(const plan::Plan&, BalancedStep&)>& time);

}  // namespace collbench
