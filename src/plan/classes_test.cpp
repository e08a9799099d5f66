// SPDX-License-Identifier: Apache-2.0
// One rank of a class stands for all: a plan with a list for every rank is judged and predicted
// alike.
#include <gtest/gtest.h>

#include "plan/checker.h"
#include "plan/example_plans.h"
#include "plan/predict.h"

namespace collbench::plan {
namespace {

Plan all_ranks_apart(const Plan& plan) {
  using model::Axis;
  Plan apart =
      make_plan(plan.name, plan.layout, plan.step, {Axis::tp, Axis::cp, Axis::dp, Axis::pp});
  apart.model = plan.model;
  apart.streams = plan.streams;
  for (RankClass& ranks : apart.classes) {
    const RankClass& equal = plan.classes[class_of(plan, ranks.first_rank)];
    ranks.ops = equal.ops;
    ranks.slots = equal.slots;
  }
  return apart;
}

Plan small_step(const std::string& model = "tiny", int ep = 1) {
  model::Layout layout;
  layout.ep = ep;
  layout.tp = 2;
  layout.dp = 4;
  layout.replicas = 2;
  layout.pp = 2;
  model::Step step;
  step.micro_batches = 4;
  step.sequence = 128;
  Scheme scheme;
  scheme.parameters = ZeroOptions{.scheme = Zero::megatron};
  scheme.pipeline = {Schedule::interleaved, StageMessages::pairs};
  layout.vpp = 2;
  return training_step("step", model::preset(model), layout, step, scheme);
}

void expect_alike(const Plan& plan) {
  const Plan apart = all_ranks_apart(plan);
  ASSERT_EQ(apart.classes.size(), 16u);
  EXPECT_EQ(check(plan), std::vector<std::string>{});
  EXPECT_EQ(check(apart), std::vector<std::string>{});
  for (const bool shared : {true, false}) {
    Costs costs;
    costs.links.ranks_per_node = 4;
    costs.links.shared = shared;
    const StepTimes times = predict_step(plan, costs), all = predict_step(apart, costs);
    EXPECT_NEAR(times.step_s, all.step_s, 1e-12 * all.step_s);
    EXPECT_NEAR(times.exposed_s, all.exposed_s, 1e-12 * all.step_s);
  }
}

TEST(Classes, StandForAllTheirRanks) { expect_alike(small_step()); }

TEST(Classes, StandForAllTheirRanksWithExperts) {
  expect_alike(small_step("tiny-moe", 2));
  expect_alike(small_step("tiny-mla"));
}

// In a class a swap is in all its ranks, and harmless; in one rank alone it is not.
TEST(Classes, OneRankOutOfStepIsFoundWhenItsListIsItsOwn) {
  const auto swap_gathers = [](RankClass& ranks) {
    const OpIndex gather = op_labelled(ranks, "F0 layer 0 gather input");
    OpIndex other = gather;
    while (ranks.ops[other].stream == ranks.ops[gather].stream ||
           ranks.ops[other].kind != OpKind::communicate) {
      ++other;
    }
    std::swap(ranks.ops[gather].messages, ranks.ops[other].messages);
  };
  Plan apart = all_ranks_apart(small_step());
  swap_gathers(apart.classes[0]);
  EXPECT_NE(check(apart), std::vector<std::string>{});
}

}  // namespace
}  // namespace collbench::plan
