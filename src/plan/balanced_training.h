// SPDX-License-Identifier: Apache-2.0
// BalancedTraining: the plans of training steps, in each of which tokens are routed with the biases
// that the loads of the steps before have led to.
#pragma once

#include <functional>

#include "plan/training_step.h"

namespace collbench::plan {

class BalancedTraining {
 public:
  using MakePlan = std::function<Plan(const Scheme&)>;

  /// `make` gives the plan of a scheme, which must balance experts, and of its biases.
  BalancedTraining(Scheme scheme, MakePlan make);

  /// From 0 on: those of which plans were made.
  int steps_made() const { return balance().step; }
  bool is_over() const { return steps_made() == balance().steps; }

  /// The plan of the next step. The same numbers give the same on every rank and platform. Requires
  /// that it is not over. Throws as `make` does.
  Plan next();

 private:
  BiasBalance& balance() { return *scheme_.experts.balance; }
  const BiasBalance& balance() const { return *scheme_.experts.balance; }

  Scheme scheme_;
  MakePlan make_;
};

/// Largest over mean, as means over the layers that have experts: 1 is level.
struct LoadImbalance {
  double experts = 1;  // of what tokens ask of each
  double ranks = 1;    // of the same of all experts of a rank
};

/// Of a plan in which loads are levelled. Source of the mean over layers: arXiv 2408.15664, section
/// 4.1 (its MaxVio is the largest over the mean, less 1).
LoadImbalance load_imbalance(const Plan& plan);

}  // namespace collbench::plan
