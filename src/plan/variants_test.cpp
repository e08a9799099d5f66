// SPDX-License-Identifier: Apache-2.0
#include "plan/variants.h"

#include <gtest/gtest.h>

#include "plan/exact_schemes.h"
#include "plan/example_plans.h"
#include "plan/predict.h"
#include "plan/print.h"

namespace collbench::plan {
namespace {

const Message& first_message(const Plan& plan) { return plan.classes[0].ops[1].messages.at(0); }

// What must never change: whoever reads times of a variant finds the plan's operations.
void expect_same_order(const Plan& plan, const Plan& variant) {
  ASSERT_EQ(variant.classes.size(), plan.classes.size());
  EXPECT_EQ(variant.streams, plan.streams);
  for (std::size_t c = 0; c < plan.classes.size(); ++c) {
    ASSERT_EQ(variant.classes[c].ops.size(), plan.classes[c].ops.size());
    ASSERT_EQ(variant.classes[c].slots.size(), plan.classes[c].slots.size());
    for (std::size_t o = 0; o < plan.classes[c].ops.size(); ++o) {
      const Op &op = plan.classes[c].ops[o], &other = variant.classes[c].ops[o];
      EXPECT_EQ(other.kind, op.kind);
      EXPECT_EQ(other.stream, op.stream);
      EXPECT_EQ(other.after, op.after);
      EXPECT_EQ(other.label, op.label);
    }
  }
}

TEST(Variants, OperationsKeepTheirPlaces) {
  const Plan plan = two_stages();
  for (const Plan& variant :
       {without_communication(plan), without_computing(plan), skeleton(plan), shrunk(plan, 3)}) {
    expect_same_order(plan, variant);
  }
}

TEST(Variants, WhatIsLeftOut) {
  const Plan plan = two_stages();
  const Plan computing = without_communication(plan);
  EXPECT_EQ(flops(computing.classes[0]), flops(plan.classes[0]));
  EXPECT_EQ(totals(computing, computing.classes[0]).size(), 0u);

  Plan copies = plan;
  copies.classes[0].ops[0].bytes = 5;
  const Plan communication = without_computing(copies);
  EXPECT_EQ(flops(communication.classes[0]), 0u);
  EXPECT_EQ(communication.classes[0].ops[0].bytes, 0u);
  EXPECT_EQ(sent_bytes(communication, communication.classes[0]), sent_bytes(plan, plan.classes[0]));

  const Plan bones = skeleton(plan);
  EXPECT_EQ(flops(bones.classes[0]), flops(plan.classes[0]));
  EXPECT_EQ(first_message(bones).count, 1u);
}

TEST(Variants, ShrunkIsDividedAndNeverVanishes) {
  const Plan plan = two_stages();  // messages of 1000, products of 10 x 10 x 10 and 10 x 20 x 10
  const Plan tenth = shrunk(plan, 7);
  EXPECT_EQ(first_message(tenth).count, 142u);
  EXPECT_EQ(tenth.classes[0].slots[0].bytes, 571u);
  EXPECT_EQ(tenth.classes[0].ops[0].gemms[0].k, 1u);
  EXPECT_EQ(tenth.classes[0].ops[0].gemms[0].n, 10u);
  const Plan least = shrunk(plan, 1000000);
  EXPECT_EQ(first_message(least).count, 1u);
  EXPECT_EQ(least.classes[0].slots[0].bytes, 4u);  // of one float
  EXPECT_EQ(describe_ops(shrunk(plan, 1)), describe_ops(plan));
  EXPECT_THROW(shrunk(plan, 0), std::logic_error);
}

TEST(Variants, SlotsHoldEveryBlockOfAMessage) {
  Plan plan = make_plan("x", layout_of(1, 1, 4, 1), step_of(1), {model::Axis::pp});
  Builder b(plan, plan.classes[0]);
  const SlotIndex own = b.slot("own", 12), all = b.slot("all", 48);
  b.communicate(
      "dp", "gather",
      {collective(Collective::all_gather, model::Axis::dp, DataType::float32, 3, own, all)});
  b.copy("copies", "copy", 48, all, b.slot("kept", 48));
  const Plan small = shrunk(plan, 40);
  EXPECT_EQ(small.classes[0].slots[own].bytes, 4u);
  EXPECT_EQ(small.classes[0].slots[all].bytes, 16u);
  EXPECT_EQ(small.classes[0].ops[1].bytes, 1u);
}

// 1F1B of ZeRO with tensor parallelism on a slow network, so that every part of a step is there.
TEST(Variants, PredictedTheyAreTheStepsParts) {
  Costs costs;
  costs.links.ranks_per_node = 2;
  costs.links.network.bandwidth_Bps = 1e9;
  for (const Zero zero : {Zero::fsdp2, Zero::megatron}) {
    const Plan plan = training_step("x", small_model(), layout_of(2, 1, 2, 4), step_of(8),
                                    with(ZeroOptions{zero}));
    const StepTimes step = predict_step(plan, costs);
    const StepTimes bones = predict_step(skeleton(plan), costs);
    EXPECT_LT(bones.step_s, step.step_s);
    EXPECT_GE(bones.step_s, step.compute_s + step.bubble_s);  // and latency
    EXPECT_NEAR(bones.compute_s, step.compute_s, 1e-9 * step.compute_s);

    const StepTimes computing = predict_step(without_communication(plan), costs);
    EXPECT_NEAR(computing.compute_s, step.compute_s, 1e-9 * step.compute_s);
    EXPECT_EQ(computing.exposed_s, 0);
    EXPECT_EQ(computing.bubble_s, 0);  // nobody waits for another stage
    EXPECT_LT(computing.step_s, bones.step_s);

    const StepTimes communication = predict_step(without_computing(plan), costs);
    EXPECT_EQ(communication.compute_s, 0);
    EXPECT_EQ(communication.bubble_s, 0);
    EXPECT_GE(communication.step_s, step.exposed_s);
    EXPECT_LT(communication.step_s, step.step_s);

    EXPECT_LT(predict_step(shrunk(plan, 10), costs).step_s, step.step_s / 5);
  }
}

}  // namespace
}  // namespace collbench::plan
