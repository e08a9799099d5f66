// SPDX-License-Identifier: Apache-2.0
// Levelling the loads of experts over training steps.
#include "plan/balanced_training.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "plan/exact_schemes.h"
#include "plan/totals.h"

namespace collbench::plan {
namespace {

/// Three layers of four have 16 experts.
model::Model mixture() {
  model::Model model = small_model();
  model.layers = 4;
  model.experts = {.routed = 16, .per_token = 2, .ffn = 512, .dense_layers = 1};
  return model;
}

model::Layout four_ranks() {
  model::Layout layout = layout_of(1, 1, 4, 1);
  layout.ep = 4;
  return layout;
}

Scheme balancing(std::string_view routing, int steps, double rate = 0.05) {
  Scheme scheme;
  scheme.experts.routing.spec = routing::parse_routing_spec(routing, "--routing");
  scheme.experts.balance = BiasBalance{.steps = steps, .rate = rate};
  return scheme;
}

Plan plan_of(const Scheme& scheme) {
  return training_step("test", mixture(), four_ranks(), step_of(1), scheme);
}

BalancedTraining training(std::string_view routing, int steps, double rate = 0.05) {
  return {balancing(routing, steps, rate), plan_of};
}

std::vector<LoadImbalance> imbalances(BalancedTraining steps) {
  std::vector<LoadImbalance> all;
  while (!steps.is_over()) all.push_back(load_imbalance(steps.next()));
  return all;
}

Bytes most_sent(const Plan& plan) {
  Bytes most = 0;
  for (const RankClass& ranks : plan.classes) most = std::max(most, sent_bytes(plan, ranks));
  return most;
}

TEST(BalancedTraining, LoadsFallFromStepToStep) {
  for (const std::string_view routing : {"zipf:1", "hot:0.9", "lognormal:1"}) {
    const std::vector<LoadImbalance> steps = imbalances(training(routing, 50));
    ASSERT_EQ(steps.size(), 50U);
    EXPECT_GT(steps.front().experts, 2) << routing;
    for (const std::size_t step : {10, 20}) {  // then what is left is chance
      EXPECT_LT(steps[step].experts, steps[step - 10].experts) << routing << " " << step;
    }
    EXPECT_LT(steps.back().experts, 1.4) << routing;
    EXPECT_LT(steps.back().ranks, 1.2) << routing;
    EXPECT_LE(steps.back().ranks, steps.back().experts) << routing;
  }
}

// What moves a bias is the sign of the load alone: expert by expert by hand.
TEST(BalancedTraining, BiasesFollowTheLoadsOfTheStepBefore) {
  std::vector<Scheme> seen;
  BalancedTraining three(balancing("zipf:1", 3, 0.25), [&](const Scheme& scheme) {
    seen.push_back(scheme);
    Plan plan;
    plan.expert_loads = {{}, {10, 40, 25, 25}};
    return plan;
  });
  while (!three.is_over()) three.next();
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_TRUE(seen[0].experts.balance->biases.empty());
  EXPECT_EQ(seen[1].experts.balance->biases, (std::vector<routing::Bias>{{}, {0.25, -0.25, 0, 0}}));
  EXPECT_EQ(seen[2].experts.balance->biases, (std::vector<routing::Bias>{{}, {0.5, -0.5, 0, 0}}));
  EXPECT_EQ(seen[2].experts.balance->step, 2);
  EXPECT_EQ(three.steps_made(), 3);
  EXPECT_THROW(three.next(), std::logic_error);
}

TEST(BalancedTraining, FirstStepIsThatWithoutBiases) {
  Scheme without = balancing("zipf:1", 3);
  without.experts.balance.reset();
  const Plan first = training("zipf:1", 3).next(), plain = plan_of(without);
  EXPECT_EQ(first.matrices, plain.matrices);
  EXPECT_TRUE(plain.expert_loads.empty());
}

TEST(BalancedTraining, IsSoundAndSendsWhatItsMatricesSayAtEveryStep) {
  BalancedTraining steps = training("zipf:1.5", 3, 0.5);
  std::vector<Bytes> sent;
  while (!steps.is_over()) {
    const Plan plan = steps.next();
    EXPECT_EQ(check(plan), std::vector<std::string>{});
    EXPECT_EQ(faults_of_variants(plan), "");
    sent.push_back(most_sent(plan));
    for (const RankClass& ranks : plan.classes) {
      // A float for each of 16 experts of three layers.
      const Sums sums = counted(plan, ranks);
      EXPECT_EQ(sums.at({"tp_dp_cp", "all_reduce"}).message_bytes, 3U * 16 * 4);
      EXPECT_EQ(sums.at({"tp_dp_cp", "all_reduce"}).operations, 1U);
    }
  }
  EXPECT_LT(sent.back(), sent.front());
}

// Padded to a capacity all ranks send the same, and loads are levelled nevertheless.
TEST(BalancedTraining, SendsWhatClosedFormsSayWithACapacity) {
  for (const auto& [tp, ep] : {std::pair{1, 4}, std::pair{2, 2}}) {
    Case c{"capacity", layout_of(tp, 1, 4, 2), step_of(2), balancing("zipf:1,capacity:1.5", 5),
           mixture()};
    c.layout.ep = ep;
    EXPECT_EQ(faults_of(c), "");
  }
  const std::vector<LoadImbalance> steps = imbalances(training("zipf:1,capacity:1.5", 20, 0.1));
  EXPECT_LT(steps.back().experts, steps.front().experts);
}

TEST(BalancedTraining, ImbalanceIsAMeanOverLayersWithExperts) {
  Plan plan;
  plan.layout.ep = plan.layout.dp = 2;
  plan.expert_loads = {{}, {4, 0, 0, 0}, {1, 3, 3, 1}};  // 4 and 1.5; ranks 2 and 1
  EXPECT_DOUBLE_EQ(load_imbalance(plan).experts, 2.75);
  EXPECT_DOUBLE_EQ(load_imbalance(plan).ranks, 1.5);
  EXPECT_DOUBLE_EQ(load_imbalance(Plan{}).experts, 1);
}

TEST(BalancedTraining, WhatNoBiasLevelsIsRefused) {
  EXPECT_THROW(plan_of(balancing("balanced", 3)), UserError);
  model::Layout layout = four_ranks();
  layout.ep = 1;
  EXPECT_THROW(training_step("test", mixture(), layout, step_of(1), balancing("zipf:1", 3)),
               UserError);
}

}  // namespace
}  // namespace collbench::plan
