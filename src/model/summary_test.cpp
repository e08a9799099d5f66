// SPDX-License-Identifier: Apache-2.0
#include "model/summary.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "model/presets.h"

namespace collbench::model {
namespace {

TEST(ModelSummary, OfAModelAloneHasNoRank) {
  const ModelSummary summary = summarize(preset("mixtral-8x7b"));
  EXPECT_EQ(summary.active_parameters, 12'879'925'248U);
  EXPECT_EQ(summary.sequence, 32768U);
  EXPECT_DOUBLE_EQ(summary.training_flops, 3 * summary.forward.total());
  EXPECT_DOUBLE_EQ(summary.executed_flops, summary.training_flops);
  EXPECT_DOUBLE_EQ(summary.training_flops_full_attention,
                   summary.training_flops + 3 * summary.forward.attention);
  EXPECT_FALSE(summary.rank);
}

TEST(ModelSummary, NamesThePositionThatHoldsMost) {
  // The last stage has the head and the last norm, the first one the embedding.
  const ModelSummary summary =
      summarize(preset("llama3-8b"), {.pp = 4}, {.micro_batches = 8, .sequence = 4096});
  ASSERT_TRUE(summary.rank);
  EXPECT_EQ(summary.rank->parameters.size(), 4U);
  EXPECT_EQ(summary.rank->largest_pp, 3);
  EXPECT_EQ(summary.rank->states.size(), kStateAccountings.size());
  EXPECT_DOUBLE_EQ(summary.rank->states[0].bytes.total(),
                   16.0 * static_cast<double>(summary.rank->parameters[3].total()));
  EXPECT_EQ(summary.sequence, 4096U);
}

TEST(ModelSummary, GivesMegatronsActivationsOnlyWhereItsFormulaHolds) {
  const auto megatron = [](const char* name, Layout layout, Step step) {
    return summarize(preset(name), layout, step).rank->activations.megatron.has_value();
  };
  const Step lean{.sequence = 4096, .recompute = Recompute::selective};
  EXPECT_TRUE(megatron("llama3-8b", {.tp = 2}, lean));
  EXPECT_FALSE(megatron("llama3-8b", {.tp = 2}, {.sequence = 4096}));
  Step whole = lean;
  whole.sequence_parallel = false;
  EXPECT_FALSE(megatron("llama3-8b", {.tp = 2}, whole));
  EXPECT_TRUE(megatron("llama3-8b", {}, whole));
  EXPECT_FALSE(megatron("mixtral-8x7b", {}, lean));
}

TEST(ModelSummary, RefusesWhatCannotBe) {
  EXPECT_THROW(summarize(preset("tiny"), {.tp = 16}, {.sequence = 128}), UserError);
}

}  // namespace
}  // namespace collbench::model
