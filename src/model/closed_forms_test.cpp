// SPDX-License-Identifier: Apache-2.0
// Closed forms against numbers that others published or that follow from their formulas by hand.
#include "model/closed_forms.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "model/parameters.h"
#include "model/presets.h"

namespace collbench::model {
namespace {

/// Sent by one rank for one layer, in MB.
double MB_per_layer(const Volumes& volumes, const Layout& layout, int layers) {
  return sent_bytes(volumes, layout) / layers / 1e6;
}

double GB(const Volumes& volumes, const Layout& layout) {
  return sent_bytes(volumes, layout) / 1e9;
}

// ---- data parallelism

class Llama8bOn8 : public testing::Test {
 protected:
  const Model model_ = preset("llama3-8b");
  const Layout layout_ = {.dp = 8};
  const Step float_gradients_ = {.sequence = 8192};
  const Step bfloat_gradients_ = {.sequence = 8192, .gradients = DataType::bfloat16};
};

TEST_F(Llama8bOn8, SendsWhatTheFormulasSayForOneStep) {
  // 2(n-1)/n * Psi * bytes, Psi = 8.03e9.
  EXPECT_NEAR(GB(ddp(model_, layout_, bfloat_gradients_, 0), layout_), 28.1, 0.05);
  EXPECT_NEAR(GB(ddp(model_, layout_, float_gradients_, 0), layout_), 56.2, 0.05);
  // (n-1)/n * Psi * (4 + 2): a quarter less than the all-reduce in float.
  EXPECT_NEAR(GB(megatron_distributed_optimizer(model_, layout_, float_gradients_, 0), layout_),
              42.2, 0.05);
  // An all-reduce and an all-gather of 2 bytes: half more than DDP in bfloat16.
  EXPECT_NEAR(GB(deepspeed_zero1(model_, layout_, float_gradients_, 0), layout_), 42.2, 0.05);
  EXPECT_NEAR(GB(deepspeed_zero2(model_, layout_, float_gradients_, 0), layout_), 42.2, 0.05);
  EXPECT_NEAR(GB(deepspeed_zero3(model_, layout_, float_gradients_, 0), layout_), 42.2, 0.05);
  EXPECT_NEAR(GB(fsdp2(model_, layout_, float_gradients_, 0, false), layout_), 42.2, 0.05);
}

TEST_F(Llama8bOn8, DoesNotGatherTheRootTwice) {
  // The rule (2 * 2 + 4) * Psi would give 56.2; embedding, head and last norm are gathered once.
  const double root = (2 * 128256 * 4096.0 + 4096) * 2 * 7 / 8 / 1e9;
  EXPECT_NEAR(GB(fsdp2(model_, layout_, float_gradients_, 0), layout_), 56.21 - root, 0.01);
}

TEST_F(Llama8bOn8, CountsTheGroupsOfFsdp2) {
  const Volumes volumes = fsdp2(model_, layout_, float_gradients_, 0);
  ASSERT_EQ(volumes.size(), 2U);
  EXPECT_EQ(volumes[0].collective, Collective::all_gather);
  EXPECT_EQ(volumes[0].operations, 2U * 32 + 1);
  EXPECT_EQ(volumes[1].collective, Collective::reduce_scatter);
  EXPECT_EQ(volumes[1].operations, 32U + 1);
}

TEST_F(Llama8bOn8, MultipliesByMicroBatchesWhereFrameworksDo) {
  Step four = float_gradients_;
  four.micro_batches = 4;
  const auto ratio = [&](auto scheme) {
    return GB(scheme(model_, layout_, four, 0), layout_) /
           GB(scheme(model_, layout_, float_gradients_, 0), layout_);
  };
  EXPECT_DOUBLE_EQ(ratio(ddp), 1);
  EXPECT_DOUBLE_EQ(ratio(megatron_distributed_optimizer), 1);
  EXPECT_DOUBLE_EQ(ratio(deepspeed_zero1), 1);
  EXPECT_DOUBLE_EQ(ratio(deepspeed_zero2), 3);  // (2 * 4 + 1) / (2 + 1)
  EXPECT_DOUBLE_EQ(ratio(deepspeed_zero3), 4);
}

TEST(DataParallel, KeepsReplicasOutOfTheGathers) {
  // 2 * (M/F) * (R-1)/R between replicas: here M = Psi * 4 bytes, F = 4, R = 2.
  const Model model = preset("llama3-8b");
  const Layout layout{.dp = 8, .replicas = 2};
  const Volumes volumes = fsdp2(model, layout, {.sequence = 8192}, 0);
  ASSERT_EQ(volumes.size(), 3U);
  EXPECT_EQ(volumes[0].axis, Axis::dp_shard_cp);
  EXPECT_EQ(volumes[2].axis, Axis::dp_replicate);
  EXPECT_EQ(volumes[2].operations, 33U);
  const double between = 2 * (8'030'261'248.0 * 4 / 4) * 1 / 2;
  EXPECT_DOUBLE_EQ(sent_bytes(volumes[2], layout), between);
}

TEST(DataParallel, ReducesExpertsAmongThoseThatHoldThem) {
  const Model model = preset("mixtral-8x7b");
  const Layout layout{.ep = 4, .dp = 8};
  const Volumes volumes = ddp(model, layout, {.sequence = 4096}, 0);
  const ParameterCount held = rank_parameters(model, layout, 0);
  ASSERT_EQ(volumes.size(), 2U);
  EXPECT_EQ(volumes[0], (Volume{Collective::all_reduce, Axis::dp_cp, 0, held.dense * 4}));
  EXPECT_EQ(volumes[1], (Volume{Collective::all_reduce, Axis::edp, 0, held.expert * 4}));
}

TEST(DataParallel, ShrinksTrafficBetweenNodesFourfoldInZeropp) {
  // arXiv 2306.10209: 3M between nodes becomes 0.75M, M the bytes of the parameters.
  const Model model = preset("llama3-8b");
  const Layout layout{.dp = 16, .replicas = 2};
  const double M = 2 * 8'030'261'248.0;
  double between_nodes = 0;
  for (const Volume& volume : zeropp(model, layout, {.sequence = 8192}, 0)) {
    // Of a gather over all ranks, the whole of it crosses nodes for the node's ranks together.
    if (volume.axis == Axis::dp_cp) between_nodes += static_cast<double>(volume.message_bytes);
    if (volume.axis == Axis::dp_replicate) {
      between_nodes += static_cast<double>(volume.message_bytes) * 8;
    }
  }
  EXPECT_NEAR(between_nodes, 0.75 * M, 1e-6 * M);
}

TEST(DataParallel, SumsTheTiedEmbeddingOfFirstAndLastStage) {
  const Model model = preset("gpt3-175b-megatron");
  const Layout layout{.tp = 8, .pp = 4};
  const Volumes first = tied_embedding(model, layout, {.sequence = 2048}, 0);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].message_bytes, 51200U / 8 * 12288 * 4);
  EXPECT_EQ(tied_embedding(model, layout, {.sequence = 2048}, 3), first);
  EXPECT_TRUE(tied_embedding(model, layout, {.sequence = 2048}, 1).empty());
  EXPECT_TRUE(tied_embedding(preset("llama3-8b"), layout, {.sequence = 2048}, 0).empty());
}

// ---- tensor parallelism

TEST(TensorParallelism, SendsEightOrTenTimesPerLayer) {
  const Model model = preset("llama3-70b");
  const Layout layout{.tp = 8};
  Step step{.sequence = 8192, .sequence_parallel = false};
  EXPECT_NEAR(MB_per_layer(tensor_parallel_layers(model, layout, step, 0), layout, 80), 939.5, 0.1);
  step.sequence_parallel = true;
  EXPECT_NEAR(MB_per_layer(tensor_parallel_layers(model, layout, step, 0), layout, 80), 1174.4,
              0.1);
  EXPECT_NEAR(MB_per_layer(tensor_parallel_layers(model, layout, step, 0, TensorParallel::dtensor),
                           layout, 80),
              939.5, 0.1);
  step.recompute = Recompute::full;
  EXPECT_NEAR(MB_per_layer(tensor_parallel_layers(model, layout, step, 0), layout, 80), 1644.2,
              0.1);
}

/// GPT of 13 B parameters, tp 8, sequence parallel, of which AICB publishes the list of operations.
class Aicb13b : public testing::Test {
 protected:
  const Model model_ = {.name = "gpt-13b",
                        .layers = 40,
                        .hidden = 5120,
                        .ffn = 20480,
                        .heads = 40,
                        .kv_heads = 40,
                        .head_dim = 128,
                        .vocabulary = 50257,
                        .sequence = 2048,
                        .gated_mlp = false};
  const Layout layout_ = {.tp = 8};
  const Step step_ = {.sequence = 2048};
};

TEST_F(Aicb13b, GathersAndScattersAsOften) {
  constexpr Bytes kMessage = 20'971'520;
  EXPECT_EQ(tensor_parallel_layers(model_, layout_, step_, 0),
            (Volumes{{Collective::all_gather, Axis::tp, 240, 240 * kMessage},
                     {Collective::reduce_scatter, Axis::tp, 160, 160 * kMessage}}));
}

TEST_F(Aicb13b, ReducesTheSameLoss) {
  EXPECT_EQ(vocabulary_parallel_loss(model_, layout_, step_, 0),
            (Volumes{{Collective::all_reduce, Axis::tp, 3, 3 * 8192}}));
}

TEST_F(Aicb13b, ReducesTheSameGradientsOfNorms) {
  // AICB leaves out the last norm.
  EXPECT_EQ(sequence_parallel_gradients(model_, layout_, 0)[0].message_bytes,
            1'638'400U + 5120 * 4);
}

TEST(TensorParallelism, MeetsTheVocabularyOnFirstAndLastStage) {
  const Model model = preset("llama3-70b");
  const Layout layout{.tp = 8, .pp = 4};
  const Bytes x = 8192 * 8192 * 2;
  const Step step{.sequence = 8192};
  EXPECT_EQ(vocabulary_parallel(model, layout, step, 0),
            (Volumes{{Collective::all_gather, Axis::tp, 1, x},
                     {Collective::reduce_scatter, Axis::tp, 1, x}}));
  EXPECT_TRUE(vocabulary_parallel(model, layout, step, 1).empty());
  EXPECT_EQ(vocabulary_parallel(model, layout, step, 3),
            (Volumes{{Collective::all_gather, Axis::tp, 2, 2 * x},
                     {Collective::reduce_scatter, Axis::tp, 1, x}}));
  const Step whole{.sequence = 8192, .sequence_parallel = false};
  EXPECT_EQ(vocabulary_parallel(model, layout, whole, 3),
            (Volumes{{Collective::all_reduce, Axis::tp, 1, x}}));
  EXPECT_EQ(vocabulary_parallel_loss(model, layout, step, 3, true),
            (Volumes{{Collective::all_reduce, Axis::tp, 2, 3 * 8192 * 4}}));
  EXPECT_TRUE(vocabulary_parallel_loss(model, layout, step, 0).empty());
}

TEST(TensorParallelism, LeavesRoutedExpertsToTheDispatcher) {
  const Layout layout{.tp = 2, .etp = 1};
  const Volumes volumes =
      tensor_parallel_layers(preset("mixtral-8x7b"), layout, {.sequence = 4096}, 0);
  EXPECT_EQ(volumes[0].operations, 3U * 32);  // the attention's
}

TEST(TensorParallelism, RefusesLatentAttention) {
  EXPECT_THROW(tensor_parallel_layers(preset("deepseek-v3"), {.tp = 2}, {.sequence = 4096}, 0),
               UserError);
}

// ---- context parallelism

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

// ---- pipeline

TEST(Pipeline, SendsFromEveryStageButTheEnds) {
  const Model model = preset("llama3-70b");
  const Step step{.micro_batches = 16, .sequence = 8192};
  const Layout layout{.tp = 8, .pp = 4, .vpp = 5};
  Count messages = 0;
  for (int pp = 0; pp < 4; ++pp) messages += pipeline(model, layout, step, pp)[0].operations;
  EXPECT_EQ(messages, 2U * 16 * (5 * 4 - 1));  // forward and backward: M(Vp - 1) each
  EXPECT_EQ(pipeline(model, layout, step, 1)[0].operations, 2U * 16 * 5);
  EXPECT_EQ(pipeline(model, layout, step, 0)[0].operations, 16U * 5 + 16 * 4);
  EXPECT_NEAR(sent_bytes(pipeline(model, layout, step, 1), layout) / (2 * 16 * 5) / 1e6, 16.8,
              0.03);
}

TEST(Pipeline, SendsTheWholeTensorWithoutSequenceParallelism) {
  const Layout layout{.tp = 8, .pp = 4};
  const Step step{.sequence = 8192, .sequence_parallel = false};
  EXPECT_NEAR(sent_bytes(pipeline(preset("llama3-70b"), layout, step, 1), layout) / 2 / 1e6, 134.2,
              0.03);
}

// ---- experts

TEST(ExpertParallelism, SendsTokensOutAndBackInBothDirections) {
  // T = 4096, h = 7168, k = 8: 411 MB at e = 8 and 462 MB at e = 64, each of four times.
  const Model model = preset("deepseek-v3");
  for (const auto& [ep, MB] : {std::pair{8, 411.0}, std::pair{64, 462.0}}) {
    const Layout layout{.ep = ep, .dp = ep};
    const Volumes volumes = expert_parallel(model, layout, {.sequence = 4096}, 0);
    ASSERT_EQ(volumes.size(), 3U);
    EXPECT_EQ(volumes[0].operations, 58U) << "counts";
    EXPECT_EQ(volumes[0].message_bytes, 58U * 256 * 8 * static_cast<unsigned>(ep));
    EXPECT_EQ(volumes[1].operations, 58U * 4) << "tokens";
    EXPECT_NEAR(sent_bytes(volumes[1], layout) / (58 * 4) / 1e6, MB, 0.5);
    EXPECT_EQ(volumes[2].operations, 58U * 2) << "probabilities";
  }
}

TEST(ExpertParallelism, GathersTokensWithinDividedExperts) {
  const Model model = preset("mixtral-8x7b");
  const Layout layout{.tp = 2, .ep = 2, .dp = 2};
  const Volumes volumes = expert_parallel(model, layout, {.sequence = 4096}, 0);
  const Bytes rows = 4096 / 2 * 2, row = 4096 * 2;
  ASSERT_EQ(volumes.size(), 7U);
  EXPECT_EQ(volumes[3], (Volume{Collective::all_gather, Axis::etp, 64, 64 * 2 * rows * row}));
  EXPECT_EQ(volumes[4], (Volume{Collective::reduce_scatter, Axis::etp, 64, 64 * 2 * rows * row}));
}

}  // namespace
}  // namespace collbench::model
