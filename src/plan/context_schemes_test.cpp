// SPDX-License-Identifier: Apache-2.0
// Context parallelism over a spread of layouts: plans are sound and send what closed forms say, and
// the work of a hop is what its split makes it.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/errors.h"
#include "plan/exact_schemes.h"

namespace collbench::plan {
namespace {

using model::ContextParallel;

Case case_of(ContextOptions options, const model::Layout& layout, int micro_batches = 2) {
  Case c{fmt::format("{} {} tp {} cp {} dp {} pp {}",
                     kContextParallel[static_cast<std::size_t>(options.scheme)].name,
                     kContextSplits[static_cast<std::size_t>(options.split)].name, layout.tp,
                     layout.cp, layout.dp, layout.pp),
         layout,
         step_of(micro_batches),
         {}};
  c.scheme.context = options;
  if (options.scheme == ContextParallel::hierarchical) c.layout.cp_a2a = 2;
  return c;
}

void expect_sound(const Case& c) { EXPECT_EQ(faults_of(c), ""); }

std::vector<ContextOptions> all_options() {
  std::vector<ContextOptions> all;
  for (const ContextParallelRow& row : kContextParallel) {
    for (const ContextSplitRow& split : kContextSplits) all.push_back({row.scheme, split.split});
  }
  return all;
}

TEST(ContextSchemes, AloneAndWithEveryOtherAxis) {
  for (const ContextOptions& options : all_options()) {
    for (const model::Layout& layout :
         {layout_of(1, 2, 1, 1), layout_of(1, 4, 1, 1), layout_of(1, 8, 1, 1),
          layout_of(2, 4, 1, 1), layout_of(1, 2, 4, 1), layout_of(1, 4, 1, 2),
          layout_of(2, 2, 2, 2)}) {
      expect_sound(case_of(options, layout));
    }
  }
}

TEST(ContextSchemes, ARingOfAnOddNumber) {
  for (const ContextOptions& options : all_options()) {
    const bool exchanges = options.scheme == ContextParallel::all_to_all ||
                           options.scheme == ContextParallel::hierarchical;
    if (exchanges) continue;  // 3 divides no 16 heads
    Case c = case_of(options, layout_of(1, 3, 1, 1));
    c.step.sequence = 768;
    expect_sound(c);
  }
}

TEST(ContextSchemes, RecomputedAndWithoutSequenceParallelism) {
  for (const ContextOptions& options : all_options()) {
    for (const auto recompute : {model::Recompute::selective, model::Recompute::full}) {
      Case c = case_of(options, layout_of(2, 4, 1, 1));
      c.step.recompute = recompute;
      c.step.sequence_parallel = false;
      expect_sound(c);
    }
  }
}

TEST(ContextSchemes, InEverySchedule) {
  for (const ContextOptions& options : all_options()) {
    for (const ScheduleRow& schedule : kSchedules) {
      const bool interleaved = schedule.schedule == Schedule::interleaved;
      Case c = case_of(options, layout_of(1, 2, 1, 2, 1, interleaved ? 2 : 1), 4);
      c.name += std::string(" ").append(schedule.name);
      c.scheme.pipeline = {schedule.schedule, StageMessages::pairs};
      expect_sound(c);
    }
  }
}

TEST(ContextSchemes, WithFewerKeyValueHeadsThanRanks) {
  Case c = case_of({ContextParallel::all_to_all, {}}, layout_of(2, 8, 1, 1));
  c.model.kv_heads = 2;
  expect_sound(c);
}

TEST(ContextSchemes, RingsOfGroupsThatExchangeHeads) {
  for (const int sharing : {2, 4, 8}) {
    Case c = case_of({ContextParallel::hierarchical, {}}, layout_of(1, 8, 2, 1));
    c.layout.cp_a2a = sharing;
    c.name += fmt::format(" a2a {}", sharing);
    c.step.recompute = model::Recompute::full;
    expect_sound(c);
  }
}

TEST(ContextSchemes, LatentAttentionGoesRoundInARing) {
  Case c = case_of({}, layout_of(2, 4, 1, 1));
  c.model.latent_attention = {.query_rank = 256,
                              .kv_rank = 128,
                              .nope_head_dim = 64,
                              .rope_head_dim = 32,
                              .value_head_dim = 64};
  expect_sound(c);
  c.scheme.context.scheme = ContextParallel::hierarchical;
  c.layout.cp_a2a = 2;
  expect_sound(c);
  c.layout.cp_a2a = 1;
  c.scheme.context.scheme = ContextParallel::all_gather;
  EXPECT_THROW(faults_of(c), UserError);
}

// ---- the work of a hop

Plan plan_of(ContextOptions options, int cp) {
  const Case c = case_of(options, layout_of(1, cp, 1, 1), 1);
  return training_step("x", c.model, c.layout, c.step, c.scheme);
}

/// Of one layer forward, by step of the ring; in units of half the square of a rank's tokens.
std::vector<Count> work_by_step(const Plan& plan, const RankClass& ranks) {
  const auto c = static_cast<Count>(plan.layout.cp), tokens = 512 / c;
  const Count unit = tokens * tokens * 2 * 16 * 64 * 2;  // 16 heads of 64, scores and values
  std::vector<Count> work(c);
  for (const Op& op : ranks.ops) {
    for (Count step = 0; step < c; ++step) {
      if (op.label == fmt::format("F0 layer 0 attention step {}", step)) {
        work[step] = flops(op) / unit;
      }
    }
  }
  return work;
}

TEST(ContextSchemes, ZigzagHopsHaveEqualWork) {
  for (const auto scheme : {ContextParallel::ring, ContextParallel::ring_float_gradients}) {
    const Plan plan = plan_of({scheme, ContextSplit::zigzag}, 4);
    ASSERT_EQ(plan.classes.size(), 4u);
    for (const RankClass& ranks : plan.classes) {
      EXPECT_EQ(work_by_step(plan, ranks), (std::vector<Count>{1, 1, 1, 1}));
    }
  }
}

// Half of the own square, all of that of an earlier rank, nothing of a later one's.
TEST(ContextSchemes, ContiguousHopsHaveHalfFullOrNoWork) {
  const Plan plan = plan_of({ContextParallel::ring, ContextSplit::contiguous}, 4);
  EXPECT_EQ(work_by_step(plan, plan.classes[0]), (std::vector<Count>{1, 0, 0, 0}));
  EXPECT_EQ(work_by_step(plan, plan.classes[1]), (std::vector<Count>{1, 2, 0, 0}));
  EXPECT_EQ(work_by_step(plan, plan.classes[3]), (std::vector<Count>{1, 2, 2, 2}));
}

// All of them together have the work of the whole sequence, forward and backward.
TEST(ContextSchemes, ComputeWhatOneRankWould) {
  const Count whole = flops(plan_of({}, 1).classes[0]);
  for (const ContextOptions& options : all_options()) {
    const Plan plan = plan_of(options, 4);
    Count sum = 0;
    for (const RankClass& ranks : plan.classes) {
      sum += flops(ranks) * static_cast<Count>(ranks.ranks);
    }
    EXPECT_EQ(sum, whole) << static_cast<int>(options.scheme);
  }
}

// Ranks that differ in nothing share a list, however many they are.
TEST(ContextSchemes, RanksWithEqualWorkAndNoPeersAreOneClass) {
  for (const ContextOptions& options : all_options()) {
    const bool equal =
        options.scheme == ContextParallel::all_to_all ||
        (options.scheme == ContextParallel::all_gather && options.split == ContextSplit::zigzag);
    const std::size_t rings = options.scheme == ContextParallel::hierarchical ? 2 : 4;
    EXPECT_EQ(plan_of(options, 4).classes.size(), equal ? 1u : rings);
  }
}

// While a rank attends to the keys and values that it has, the next ones come: both start when the
// ones before have come, and neither waits for the other.
TEST(ContextSchemes, AHopWaitsForNoAttentionToWhatItBrings) {
  const Plan plan = plan_of({ContextParallel::ring, ContextSplit::zigzag}, 4);
  const std::vector<Op>& ops = plan.classes[0].ops;
  const auto named = [&](const std::string& label) {
    const auto found = std::find_if(ops.begin(), ops.end(), [&](const Op& op) {
      return op.label == "F0 layer 0 attention " + label;
    });
    return static_cast<OpIndex>(found - ops.begin());
  };
  const auto waits_for = [&](const std::string& label) { return ops[named(label)].after; };
  EXPECT_EQ(waits_for("step 1"), std::vector{named("pass on keys and values 0")});
  EXPECT_EQ(waits_for("pass on keys and values 1"), std::vector<OpIndex>{});
  // Two buffers: the third hop fills the first one again.
  EXPECT_EQ(waits_for("pass on keys and values 2"), std::vector{named("step 1")});
}

}  // namespace
}  // namespace collbench::plan
