// SPDX-License-Identifier: Apache-2.0
// Plans of as many ranks as the largest published runs have.
#include <gtest/gtest.h>

#include "plan/checker.h"
#include "plan/example_plans.h"
#include "plan/predict.h"

namespace collbench::plan {
namespace {

TEST(LargePlan, IsSmallAndSound) {
  const Plan plan = llama3_405b_step();
  ASSERT_EQ(plan.classes.size(), 16u);
  for (const RankClass& ranks : plan.classes) EXPECT_EQ(ranks.ranks, 1024);
  EXPECT_EQ(check(plan).size(), 0u);
  // 16 micro-batches of layers that alternate with their neighbours': (p-1)/M more than the work of
  // a stage, less what the shorter end stages save.
  const StepTimes times = predict_step(plan, {});
  EXPECT_NEAR(times.bubble_s / times.compute_s, 15.0 / 16, 0.05);
}

TEST(LargePlan, OneFaultAmongThousandsOfOperationsIsFound) {
  Plan plan = llama3_405b_step();
  RankClass& ranks = plan.classes[7];
  Op& exchange = ranks.ops[op_labelled(ranks, "send F9, recv B1")];
  exchange.messages.pop_back();
  const std::vector<std::string> unmatched = check(plan);
  ASSERT_GT(unmatched.size(), 0u);
  EXPECT_TRUE(unmatched[0].starts_with("rank 64 (pp 8)")) << unmatched[0];

  plan = llama3_405b_step();
  std::vector<Op>& ops = plan.classes[3].ops;
  ops[op_labelled(plan.classes[3], "B5 layer 25 mlp column weights")].after.clear();
  const std::vector<std::string> races = check(plan);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_TRUE(races[0].starts_with("rank 24 (pp 3)")) << races[0];
}

}  // namespace
}  // namespace collbench::plan
