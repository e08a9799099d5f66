// SPDX-License-Identifier: Apache-2.0
#include "model/feasibility.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench::model {
namespace {

const Model kModel = {
    .name = "example",
    .layers = 12,
    .hidden = 64,
    .ffn = 96,
    .heads = 12,
    .kv_heads = 4,
    .head_dim = 8,
    .vocabulary = 1000,
    .sequence = 64,
    .experts = Experts{.routed = 16, .per_token = 2, .ffn = 48, .shared = 1, .dense_layers = 3}};
const Step kStep = {.micro_batches = 4, .sequence = 64};

/// The rules that a layout breaks, in their order.
std::vector<std::string> rules(const Layout& layout, const Step& step = kStep,
                               const Model& model = kModel) {
  std::vector<std::string> names;
  for (const Infeasible& broken : broken_rules(model, layout, step)) {
    names.emplace_back(broken.rule);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Feasibility, AcceptsWhatFits) {
  EXPECT_EQ(rules({}), Names{});
  EXPECT_EQ(rules({.tp = 4, .cp = 2, .ep = 8, .etp = 1, .dp = 4, .replicas = 2, .pp = 2, .vpp = 3}),
            Names{});
}

TEST(Feasibility, NamesTheRuleThatIsBroken) {
  EXPECT_EQ(rules({.dp = 0}), Names{"sizes"});
  EXPECT_EQ(rules({.dp = 1 << 20, .pp = 1 << 20}), Names{"sizes"});
  EXPECT_EQ(rules({.dp = 4, .replicas = 3}), (Names{"replicas divide dp", "replicas divide edp"}));
  EXPECT_EQ(rules({.ep = 2, .dp = 2, .replicas = 2}), Names{"replicas divide edp"});
  EXPECT_EQ(rules({.ep = 2}), Names{"etp * ep divides tp * cp * dp"});
  EXPECT_EQ(rules({.vpp = 2}), Names{"vpp needs pp"});
  EXPECT_EQ(rules({.tp = 6}), (Names{"tp fits kv_heads", "cp * tp divides sequence"}));
  EXPECT_EQ(rules({.tp = 8, .etp = 1}), Names{"tp divides heads"});
  EXPECT_EQ(rules({.ep = 3, .dp = 3}), Names{"ep divides experts"});
  EXPECT_EQ(rules({.etp = 5, .dp = 5}), Names{"etp divides the experts' ffn"});
  EXPECT_EQ(rules({.cp = 3}), (Names{"2 * cp divides sequence", "cp * tp divides sequence"}));
  EXPECT_EQ(rules({.pp = 5}), Names{"stages divide layers"});
  EXPECT_EQ(rules({.pp = 2, .stage_layers = {5, 6}}), Names{"stage layers"});
  EXPECT_EQ(rules({.pp = 2, .stage_layers = {12}}), Names{"stage layers"});
  EXPECT_EQ(rules({.pp = 2, .stage_layers = {13, -1}}), Names{"stage layers"});
  EXPECT_EQ(rules({.pp = 3, .vpp = 2}), Names{"pp divides micro-batches when interleaved"});
}

TEST(Feasibility, RefusesStepsWhoseBytesOverflow) {
  Step step = kStep;
  step.micro_batches = 1 << 24;
  step.micro_batch = 1 << 24;
  EXPECT_EQ(rules({}, step), Names{"step"});
  step.micro_batch = 0;
  EXPECT_EQ(rules({}, step), Names{"step"});
}

TEST(Feasibility, LetsExpertsNeedSequenceParallelism) {
  Step step = kStep;
  step.sequence_parallel = false;
  EXPECT_EQ(rules({.tp = 2, .ep = 2, .dp = 2}, step),
            Names{"tp with experts needs sequence parallelism"});
  EXPECT_EQ(rules({.tp = 2, .dp = 2}, step), Names{"tp with experts needs sequence parallelism"});
  EXPECT_EQ(rules({.ep = 2, .dp = 2}, step), Names{});
}

TEST(Feasibility, LetsModelsWithoutExpertsHaveNoExpertParallelism) {
  Model dense = kModel;
  dense.experts.reset();
  EXPECT_EQ(rules({.ep = 2, .dp = 2}, kStep, dense), Names{"ep needs experts"});
}

TEST(Feasibility, WantsPipelinesOfBothGridsToAgree) {
  using enum Dimension;
  Layout layout{.tp = 2, .ep = 4, .etp = 1, .dp = 4, .pp = 2, .order = {tp, cp, ep, pp, dp}};
  EXPECT_EQ(rules(layout), Names{"pipelines agree"});
  layout.ep = 2;  // etp * ep = tp * cp
  EXPECT_EQ(rules(layout), Names{});
  const Layout without{.cp = 2, .dp = 2, .pp = 2, .order = layout.order};
  EXPECT_EQ(rules(without), Names{"pipelines agree"});
  Model dense = kModel;
  dense.experts.reset();
  EXPECT_EQ(rules(without, kStep, dense), Names{});
}

TEST(Feasibility, SaysWhatToChangeInOneSentence) {
  try {
    require_feasible(kModel, {.tp = 8, .etp = 1}, kStep);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "impossible layout: tp = 8 does not divide the 12 heads of example; choose a tp "
                 "that does");
  }
  EXPECT_THROW(require_ranks({.tp = 2, .ep = 2, .dp = 2}, 8), UserError);
  EXPECT_NO_THROW(require_ranks({.tp = 2, .ep = 2, .dp = 2}, 4));
}

TEST(Feasibility, CountsTheMicroBatchesOfAGlobalBatch) {
  EXPECT_EQ(micro_batches_of(2304, 1, {.dp = 24}), 96);
  EXPECT_THROW(micro_batches_of(100, 3, {.dp = 4}), UserError);
  EXPECT_THROW(micro_batches_of(0, 1, {}), UserError);
  EXPECT_THROW(micro_batches_of(Count{1} << 40, 1, {}), UserError);
}

TEST(Feasibility, GivesUlyssesWholeHeads) {
  EXPECT_NO_THROW(require_ulysses(kModel, {.tp = 2}, 6));
  EXPECT_THROW(require_ulysses(kModel, {.tp = 2}, 4), UserError);
  const Model grouped = {.name = "grouped", .heads = 24, .kv_heads = 6};
  EXPECT_NO_THROW(require_ulysses(grouped, {}, 3));
  EXPECT_NO_THROW(require_ulysses(grouped, {}, 12));
  EXPECT_THROW(require_ulysses(grouped, {}, 4), UserError);
}

}  // namespace
}  // namespace collbench::model
