// SPDX-License-Identifier: Apache-2.0
// What of context parallelism's messages hides behind attention, against the condition of the paper
// on ring attention, arXiv 2310.01889, section 3: tokens of a rank >= operations per second / bytes
// per second. It counts the whole square; of causal attention a hop has half, so twice as many.
#include <gtest/gtest.h>

#include "plan/exact_schemes.h"
#include "plan/predict.h"

namespace collbench::plan {
namespace {

using model::ContextParallel;

constexpr int kRanks = 4, kLayers = 8;
constexpr double kFlops = 1e12, kTokens = 128;

/// As many key-value heads as heads, as the paper has it; gradients are nobody's concern here.
Plan plan_of(ContextOptions options) {
  model::Model model = small_model();
  model.kv_heads = model.heads;
  model::Step step;
  step.sequence = 512;
  Scheme scheme;
  scheme.context = options;
  Plan plan = training_step("x", model, layout_of(1, kRanks, 1, 1), step, scheme);
  for (RankClass& ranks : plan.classes) {
    for (Op& op : ranks.ops) {
      std::erase_if(op.messages, [](const Message& m) { return m.axis == model::Axis::dp_cp; });
    }
  }
  return plan;
}

StepTimes times_of(const Plan& plan, double bandwidth_Bps) {
  Costs costs;
  costs.links.ranks_per_node = 1;
  costs.links.network = {0, bandwidth_Bps};
  costs.compute = {kFlops, 1e12};
  return predict_step(plan, costs);
}

/// One hop takes as long as the attention that it hides behind.
constexpr double kBalanced_Bps = 2 * kFlops / kTokens;

/// Attention forward to what a hop brings: 16 heads of 64.
constexpr double kStep_s = 2 * kTokens * kTokens * 1024 / kFlops;

TEST(ContextTimes, AHopHidesFromTheNumberOfTokensInThePaper) {
  const Plan plan = plan_of({ContextParallel::ring, {}});
  EXPECT_NEAR(times_of(plan, 1.001 * kBalanced_Bps).exposed_s, 0, 1e-12);
  EXPECT_GT(times_of(plan, 0.999 * kBalanced_Bps).exposed_s, 0);
}

// Forward c-1 hops and backward c-2 of twice the size and work each show half; the first and the
// last one backward have half the size, and hide.
TEST(ContextTimes, OnHalfTheBandwidthHalfOfAHopIsExposed) {
  const Plan plan = plan_of({ContextParallel::ring, {}});
  const double steps = kLayers * ((kRanks - 1) + 2.0 * (kRanks - 2));
  EXPECT_NEAR(times_of(plan, kBalanced_Bps / 2).exposed_s, steps * kStep_s, 1e-9);
}

TEST(ContextTimes, WhatIsGatheredOrExchangedIsExposed) {
  for (const auto scheme : {ContextParallel::all_gather, ContextParallel::all_to_all}) {
    const Plan plan = plan_of({scheme, {}});
    const double sent_s = static_cast<double>(sent_bytes(plan, plan.classes[0])) / 1e12;
    EXPECT_NEAR(times_of(plan, 1e12).exposed_s, sent_s, 1e-12);
  }
}

// The last rank has 2c - 1 halves of a square and the others wait; evenly split each has c.
TEST(ContextTimes, AContiguousSplitWaitsForTheLastRank) {
  for (const auto scheme : {ContextParallel::ring, ContextParallel::ring_float_gradients,
                            ContextParallel::all_gather}) {
    const double even_s = times_of(plan_of({scheme, ContextSplit::zigzag}), 1e15).step_s;
    const double uneven_s = times_of(plan_of({scheme, ContextSplit::contiguous}), 1e15).step_s;
    EXPECT_NEAR(uneven_s - even_s, kLayers * 3 * (kRanks - 1) * kStep_s, 1e-6 * even_s);
  }
}

}  // namespace
}  // namespace collbench::plan
