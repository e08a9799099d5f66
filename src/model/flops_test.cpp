// SPDX-License-Identifier: Apache-2.0
// Operations per token against rates that were published with their throughput.
#include "model/flops.h"

#include <gtest/gtest.h>

#include "model/gpt_test_family.h"
#include "model/parameters.h"
#include "model/presets.h"

namespace collbench::model {
namespace {

/// NVIDIA Megatron-Bridge, performance summaries 25.09 and 25.11: tokens per second and GPU, and
/// the TFLOP/s printed beside them. DeepSeek-V3 is listed with and without its prediction layer.
struct BridgeRow {
  const char* preset;
  Count sequence;
  int prediction_layers;
  double tokens_per_s, published_tflops;
};

constexpr BridgeRow kBridge[] = {
    {"llama3-8b", 8192, 0, 14451, 744},      {"llama3-70b", 8192, 0, 1602, 719},
    {"llama3-405b", 8192, 0, 292, 737},      {"qwen3-30b-a3b", 4096, 0, 5275, 121},
    {"qwen3-235b-a22b", 4096, 0, 1575, 233}, {"deepseek-v3", 4096, 1, 1297, 338},
    {"deepseek-v3", 4096, 0, 4357, 1088},
};

TEST(Flops, GiveThePublishedRates) {
  for (const BridgeRow& row : kBridge) {
    Model model = preset(row.preset);
    model.prediction_layers = row.prediction_layers;
    const double tflops = row.tokens_per_s * training_flops_per_token(model, row.sequence) / 1e12;
    // Printed rates are cut to whole TFLOP/s.
    EXPECT_NEAR(tflops, row.published_tflops, 0.004 * row.published_tflops + 0.5) << row.preset;
  }
}

/// Narayanan et al. 2021, table 1: v = 51200, s = 2048, full recomputation. The time of an
/// iteration follows from the others by the paper's formula.
struct Sc21Row {
  double parameters_B;
  int heads;
  Count hidden;
  int layers, gpus;
  double batch, tflops_per_gpu, pflops, iteration_s;
};

constexpr Sc21Row kSc21[] = {
    {1.7, 24, 2304, 24, 32, 512, 137, 4.4, 3.53},
    {3.6, 32, 3072, 30, 64, 512, 138, 8.8, 3.70},
    {7.5, 32, 4096, 36, 128, 512, 142, 18.2, 3.70},
    {18.4, 48, 6144, 40, 256, 1024, 135, 34.6, 9.40},
    {39.1, 64, 8192, 48, 512, 1536, 138, 70.8, 14.45},
    {76.1, 80, 10240, 60, 1024, 1792, 140, 143.8, 16.06},
    {145.6, 96, 12288, 80, 1536, 2304, 148, 227.1, 24.82},
    {310.1, 128, 16384, 96, 1920, 2160, 155, 297.6, 37.61},
    {529.6, 128, 20480, 105, 2520, 2520, 163, 410.2, 54.08},
    {1008.0, 160, 25600, 128, 3072, 3072, 163, 502.0, 102.63},
};

TEST(Flops, GiveTheParametersAndRatesOfSc21) {
  for (const Sc21Row& row : kSc21) {
    const Model model = gpt(row.layers, row.hidden, row.heads);
    EXPECT_NEAR(static_cast<double>(parameters(model)) / 1e9, row.parameters_B,
                0.003 * row.parameters_B + 0.05);
    const double per_token =
        executed_flops_per_token(model, 2048, Recompute::full, AttentionCount::full);
    const double achieved = row.tflops_per_gpu * 1e12 * row.gpus;
    EXPECT_NEAR(achieved / 1e15, row.pflops, 0.01 * row.pflops);
    EXPECT_NEAR(per_token * row.batch * 2048 / achieved, row.iteration_s, 0.002 * row.iteration_s)
        << row.parameters_B;
  }
}

TEST(Flops, GiveTheTrainingTimesOfSc21) {
  // "8 T P / (n X)": 300 billion tokens of GPT-3 on 1024 GPUs at 140 TFLOP/s, 34 days; 450 billion
  // of the model of 1 trillion on 3072 at 163, 84 days.
  const auto days = [](double tokens, double parameters, double gpus, double tflops) {
    return 8 * tokens * parameters / (gpus * tflops * 1e12) / 86400;
  };
  EXPECT_NEAR(days(300e9, static_cast<double>(parameters(preset("gpt3-175b"))), 1024, 140), 34,
              0.5);
  EXPECT_NEAR(days(450e9, static_cast<double>(parameters(gpt(128, 25600, 160))), 3072, 163), 84,
              0.5);
}

/// Korthikanti et al. 2022, table 5: iteration time with sequence parallelism and selective
/// recomputation, model and hardware FLOP/s as % of the A100's 312 TFLOP/s.
struct KorthikantiRow {
  int layers;
  Count hidden;
  int heads, gpus;
  double batch, seconds, mfu, hfu;
};

constexpr KorthikantiRow kKorthikanti[] = {
    {48, 6144, 64, 8, 4, 1.10, 41.5, 43.7},
    {96, 12288, 96, 64, 64, 13.75, 51.4, 52.8},
    {105, 20480, 128, 280, 280, 37.83, 56.0, 57.0},
    {128, 25600, 160, 512, 512, 71.49, 56.3, 57.0},
};

TEST(Flops, GiveTheUtilisationsOfKorthikanti) {
  for (const KorthikantiRow& row : kKorthikanti) {
    const Model model = gpt(row.layers, row.hidden, row.heads);
    const double peak = row.gpus * 312e12, tokens = row.batch * 2048;
    const Flops forward = forward_flops_per_token(model, 2048, AttentionCount::full);
    const double training = training_flops_per_token(model, 2048, AttentionCount::full);
    EXPECT_NEAR(100 * training * tokens / row.seconds / peak, row.mfu, 0.3);
    // The paper's hardware FLOPs, 72 B s L h^2 (1 + s/(3h) + ...), count the recomputed attention
    // as forward and backward; what is executed is its forward pass only, a third of that.
    const double hardware = training + 3 * forward.attention;
    EXPECT_NEAR(100 * hardware * tokens / row.seconds / peak, row.hfu, 0.3);
    EXPECT_DOUBLE_EQ(
        executed_flops_per_token(model, 2048, Recompute::selective, AttentionCount::full),
        training + forward.attention);
  }
}

// Chowdhery et al. 2022, arXiv 2204.02311, tables 1 and 3, appendix B: 540.35 billion parameters,
// 6N + 12LHQT operations per token; 238.3 thousand tokens a second on 6144 chips of 275 TFLOP/s are
// 46.2 %, and 45.7 % where attention is not counted.
TEST(Flops, GiveTheUtilisationOfPalm) {
  Model palm;
  palm.name = "palm-540b";
  palm.layers = 118;
  palm.hidden = 18432;
  palm.ffn = 4 * 18432;
  palm.heads = 48;
  palm.kv_heads = 1;
  palm.head_dim = 256;
  palm.vocabulary = 256000;
  palm.sequence = 2048;
  palm.tied_embeddings = true;
  const double n = static_cast<double>(parameters(palm)), per_s = 238.3e3 / (6144 * 275e12) * 100;
  EXPECT_NEAR(n / 1e9, 540.35, 0.01);
  const double flops = training_flops_per_token(palm, 2048, AttentionCount::full);
  EXPECT_NEAR(flops, 6 * n + 12 * 118.0 * 48 * 256 * 2048, 1e-4 * flops);  // 6N counts norms, too
  EXPECT_NEAR(flops * per_s, 46.2, 0.05);
  const Flops forward = forward_flops_per_token(palm, 2048, AttentionCount::full);
  EXPECT_NEAR(3 * (forward.matrices + forward.head) * per_s, 45.7, 0.05);
}

TEST(Flops, AreThePapersFormulaForGpt) {
  // 72 L h^2 (1 + s/(6h) + v/(12 h L)) per token.
  const double L = 96, h = 12288, s = 2048, v = 51200;
  EXPECT_NEAR(training_flops_per_token(gpt(96, 12288, 96), 2048, AttentionCount::full),
              72 * L * h * h * (1 + s / (6 * h) + v / (12 * h * L)), 1e6);
}

}  // namespace
}  // namespace collbench::model
