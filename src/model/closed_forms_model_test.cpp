// SPDX-License-Identifier: Apache-2.0
// Schemes that divide the model or its tokens against published lists and figures.
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
  EXPECT_EQ(sequence_parallel_gradients(model_, layout_, step_, 0)[0].message_bytes,
            1'638'400U + 5120 * 4);
}

TEST_F(Aicb13b, ReducesNoGradientsOfNormsWithoutSequenceParallelism) {
  EXPECT_TRUE(sequence_parallel_gradients(model_, layout_,
                                          {.sequence = 2048, .sequence_parallel = false}, 0)
                  .empty());
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

// What Megatron's MLASelfAttention gathers of 61 layers: forward queries (1536), keys and values
// (512) and positions (64), backward the first two again and the output's gradient (7168); it
// scatters the output, and the gradients of all three.
TEST(TensorParallelism, GathersTheLowRankTensorsOfLatentAttention) {
  Model model = preset("deepseek-v3");
  model.experts.reset();
  const Bytes each = 61 * 4096 * 2, x = 61 * 4096 * 7168 * 2ULL;
  const Volumes volumes = tensor_parallel_layers(model, {.tp = 2}, {.sequence = 4096}, 0);
  EXPECT_EQ(
      volumes,
      (Volumes{
          {Collective::all_gather, Axis::tp, 61 * 3, 3 * x},  // the feed-forward part
          {Collective::reduce_scatter, Axis::tp, 61 * 2, 2 * x},
          {Collective::all_gather, Axis::tp, 61 * 6, each * (1536 + 512 + 64 + 7168 + 1536 + 512)},
          {Collective::reduce_scatter, Axis::tp, 61 * 4, each * (7168 + 1536 + 512 + 64)}}));
}

TEST(TensorParallelism, RefusesWhatIsNotKnownOfLatentAttention) {
  const Model model = preset("deepseek-v3");
  const Step whole{.sequence = 4096, .sequence_parallel = false};
  EXPECT_THROW(tensor_parallel_layers(model, {.tp = 2}, whole, 0), UserError);
  EXPECT_THROW(
      tensor_parallel_layers(model, {.tp = 2}, {.sequence = 4096}, 0, TensorParallel::dtensor),
      UserError);
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

TEST(Pipeline, WaitsAShareThatIsNotTheRatioToWork) {
  struct Row {
    int p, M, V;
    double to_work, share;
  };
  for (const Row& row :
       {Row{4, 8, 1, 0.375, 0.273}, Row{8, 32, 1, 0.219, 0.179}, Row{64, 512, 1, 0.123, 0.110},
        Row{35, 280, 3, 0.0405, 0.0389}, Row{16, 32, 8, 0.0586, 0.0554}}) {
    const Layout layout{.pp = row.p, .vpp = row.V};
    const Step step{.micro_batches = row.M, .sequence = 1};
    EXPECT_NEAR(bubble_to_work(layout, step), row.to_work, 0.0005);
    EXPECT_NEAR(bubble_share(layout, step), row.share, 0.0005);
  }
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

TEST(ExpertParallelism, AddsUpLoadsOncePerStep) {
  // 58 layers of 256 experts, and one more that predicts, in floats: 60 kB.
  Model model = preset("deepseek-v3");
  const auto loads = [](unsigned layers) {
    return Volumes{{Collective::all_reduce, Axis::tp_dp_cp, 1, Bytes{layers} * 256 * 4}};
  };
  EXPECT_EQ(expert_loads(model, {.ep = 64, .dp = 64}, 0), loads(58));
  model.prediction_layers = 1;
  EXPECT_EQ(expert_loads(model, {.ep = 64, .dp = 64}, 0), loads(59));
  EXPECT_EQ(expert_loads(model, {.pp = 61}, 30), Volumes{}) << "one rank of a stage";
  EXPECT_EQ(expert_loads(model, {.dp = 2, .pp = 61}, 0), Volumes{}) << "a dense layer";
  EXPECT_EQ(expert_loads(preset("llama3-8b"), {.dp = 2}, 0), Volumes{});
}

}  // namespace
}  // namespace collbench::model
