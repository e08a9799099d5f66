// SPDX-License-Identifier: Apache-2.0
// Context parallelism against figures worked out by hand, and published ones.
#include "model/closed_forms.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "model/presets.h"

namespace collbench::model {
namespace {

/// Sent by one rank for one layer, in MB.
double MB_per_layer(const Volumes& volumes, const Layout& layout, int layers) {
  return sent_bytes(volumes, layout) / layers / 1e6;
}

TEST(ContextParallelism, SendsWhatEachVariantShould) {
  struct Row {
    int c;
    double ring, ring_float, ulysses;  // MB per layer, forward and backward
  };
  const Model model = preset("llama3-8b");
  const Step step{.sequence = 131072};
  for (const Row& row :
       {Row{2, 805, 1611, 1342}, Row{4, 1208, 1879, 1007}, Row{8, 1409, 2013, 587}}) {
    const Layout layout{.cp = row.c};
    const auto MB = [&](ContextParallel scheme) {
      return MB_per_layer(context_parallel(model, layout, step, 0, scheme), layout, 32);
    };
    EXPECT_NEAR(MB(ContextParallel::ring), row.ring, 1) << row.c;
    EXPECT_NEAR(MB(ContextParallel::all_gather), row.ring, 1) << row.c;
    EXPECT_NEAR(MB(ContextParallel::ring_float_gradients), row.ring_float, 1) << row.c;
    EXPECT_NEAR(MB(ContextParallel::all_to_all), row.ulysses, 1) << row.c;
  }
}

TEST(ContextParallelism, CountsTheMessagesOfARing) {
  const Layout layout{.cp = 4};
  const Model model = preset("tiny");
  const Step step{.micro_batches = 3, .sequence = 128};
  EXPECT_EQ(context_parallel(model, layout, step, 0, ContextParallel::ring)[0].operations,
            3U * 8 * (3 + 4));
  EXPECT_EQ(
      context_parallel(model, layout, step, 0, ContextParallel::ring_float_gradients)[0].operations,
      3U * 8 * 2 * (3 + 3 + 4));
}

// 131072 tokens of 8 key-value heads of 128 among 8 ranks are 64 MiB of keys and values.
TEST(ContextParallelism, RecomputedLayersGoForwardTwice) {
  const Layout layout{.cp = 8};
  const Step step{.sequence = 131072, .recompute = Recompute::full};
  constexpr Bytes kKv = 64 << 20;
  const auto of = [&](ContextParallel scheme) {
    return context_parallel(preset("llama3-8b"), layout, step, 0, scheme);
  };
  EXPECT_EQ(of(ContextParallel::ring),
            (Volumes{{Collective::sendrecv, Axis::cp, 32 * (7 + 7 + 8), 32 * (7 + 7 + 14) * kKv}}));
  EXPECT_EQ(of(ContextParallel::ring_float_gradients),
            (Volumes{{Collective::sendrecv, Axis::cp, 32 * 2 * (7 + 7 + 7 + 8),
                      32 * (7 + 7 + 7 + 2 * 8) * kKv}}));
  EXPECT_EQ(of(ContextParallel::all_gather),
            (Volumes{{Collective::all_gather, Axis::cp, 32 * 2 * 3, 32 * 3 * 8 * kKv},
                     {Collective::reduce_scatter, Axis::cp, 32 * 2, 32 * 8 * kKv}}));
  // Queries have 32 heads, and so has the output: each is twice as much.
  EXPECT_EQ(of(ContextParallel::all_to_all),
            (Volumes{{Collective::alltoall, Axis::cp, 32 * 4 * 3, 32 * 3 * (2 + 1 + 2) * kKv}}));
}

// 2 key-value heads on a rank of tp, and 4 ranks that each need one.
TEST(ContextParallelism, RepeatsKeyValueHeadsWhereThereAreFewer) {
  const Step step{.sequence = 8192};
  const auto sent = [&](int tp) {
    return context_parallel(preset("llama3-8b"), {.tp = tp, .cp = 4}, step, 0,
                            ContextParallel::all_to_all)[0]
        .message_bytes;
  };
  constexpr Bytes kHead = 32 * 2 * 2048 * 128 * 2;  // of all layers, both ways
  EXPECT_EQ(sent(2), kHead * (2 * 16 + 2 * 4));
  EXPECT_EQ(sent(4), kHead * (2 * 8 + 2 * 4));
}

// After the exchange among 2 ranks each has the keys and values of twice the tokens and half the
// heads: as many as before, in a ring of 4.
TEST(ContextParallelism, ExchangesHeadsWithinARing) {
  const Step step{.sequence = 131072};
  constexpr Bytes kKv = 64 << 20;
  const auto of = [&](const Layout& layout) {
    return context_parallel(preset("llama3-8b"), layout, step, 0, ContextParallel::hierarchical);
  };
  EXPECT_EQ(of({.cp = 8, .cp_a2a = 2}),
            (Volumes{{Collective::alltoall, Axis::cp_a2a, 32 * 8, 32 * 2 * (2 + 1 + 2) * kKv},
                     {Collective::sendrecv, Axis::cp_p2p, 32 * (3 + 4), 32 * 3 * 3 * kKv}}));
  EXPECT_EQ(of({.cp = 8, .cp_a2a = 8}),
            (Volumes{{Collective::alltoall, Axis::cp_a2a, 32 * 8, 32 * 2 * (2 + 1 + 2) * kKv}}));
  EXPECT_TRUE(of({.cp = 8}).empty());
}

TEST(ContextParallelism, ExchangesWholeHeadsOnly) {
  EXPECT_THROW(context_parallel(preset("llama3-8b"), {.tp = 8, .cp = 8}, {.sequence = 131072}, 0,
                                ContextParallel::all_to_all),
               UserError);
}

// Keys of 128 + 64, values of 128, 128 heads: what TransformerEngine's ring sends in one message.
TEST(ContextParallelism, SendsLatentAttentionInARingOnly) {
  const Model model = preset("deepseek-v3");
  const Layout layout{.cp = 2};
  const Step step{.sequence = 4096};
  EXPECT_EQ(context_parallel(model, layout, step, 0, ContextParallel::ring),
            (Volumes{{Collective::sendrecv, Axis::cp, 61 * 3, 61 * 3 * 2048ULL * 128 * 320 * 2}}));
  for (const ContextParallel scheme : {ContextParallel::ring_float_gradients,
                                       ContextParallel::all_gather, ContextParallel::all_to_all}) {
    EXPECT_THROW(context_parallel(model, layout, step, 0, scheme), UserError);
    EXPECT_NO_THROW(context_parallel(model, {.dp = 2}, step, 0, scheme));
  }
}

}  // namespace
}  // namespace collbench::model
