// SPDX-License-Identifier: Apache-2.0
// Layouts that others trained with: their ranks, their micro-batches, and that our rules accept
// them.
#include <gtest/gtest.h>

#include "model/feasibility.h"
#include "model/presets.h"

namespace collbench::model {
namespace {

/// As many layers on each of `stages` as on the others, the first and the last with fewer where
/// that is needed.
std::vector<int> shortened_ends(int layers, int stages) {
  const int each = (layers + stages - 1) / stages, missing = each * stages - layers;
  std::vector<int> all(static_cast<std::size_t>(stages), each);
  for (int i = 0; i < missing; ++i) {
    const auto at = static_cast<std::size_t>(i / 2);
    --all[i % 2 == 0 ? at : all.size() - 1 - at];
  }
  return all;
}

void expect_feasible(const Model& model, Layout layout, Step step) {
  const int stages = layout.pp * layout.vpp;
  if (model.layers % stages != 0) layout.stage_layers = shortened_ends(model.layers, stages);
  for (const Infeasible& broken : broken_rules(model, layout, step)) {
    ADD_FAILURE() << model.name << ": " << broken.message;
  }
}

/// Llama 3, arXiv 2407.21783, table 4, 405B: order [TP, CP, PP, DP].
struct Llama3Row {
  int gpus, tp, cp, pp, dp;
  Count sequence, batch_per_dp;
};

TEST(GoldenLayouts, OfLlama3) {
  for (const Llama3Row& row : {
           Llama3Row{8192, 8, 1, 16, 64, 8192, 32},
           Llama3Row{16384, 8, 1, 16, 128, 8192, 16},
           // The table prints DP 4 in this row; 16384 GPUs, and 16M tokens per batch, make it 8.
           Llama3Row{16384, 8, 16, 16, 8, 131072, 16},
       }) {
    const Layout layout{.tp = row.tp,
                        .cp = row.cp,
                        .dp = row.dp,
                        .pp = row.pp,
                        .order = parse_order("llama3", "--order")};
    EXPECT_EQ(ranks(layout), row.gpus);
    const Count batch = row.batch_per_dp * static_cast<Count>(row.dp);
    EXPECT_EQ(batch * row.sequence, Count{1} << 24) << "16M tokens";
    expect_feasible(
        preset("llama3-405b"), layout,
        {.micro_batches = micro_batches_of(batch, 1, layout), .sequence = row.sequence});
  }
  // "The first and the last stage one layer short": 126 layers on 16 stages.
  EXPECT_EQ(shortened_ends(126, 16).front(), 7);
  EXPECT_EQ(shortened_ends(126, 16).back(), 7);
  EXPECT_EQ(shortened_ends(126, 16)[7], 8);
}

/// NVIDIA Megatron-Bridge, performance summaries 25.09 and 25.11, DGX H100; `accumulation` is the
/// number of micro-batches of a step that they print.
struct BridgeRow {
  const char* preset;
  int gpus;
  Count global_batch, micro_batch, sequence;
  int tp, pp, cp, vpp, ep, accumulation;
};

constexpr BridgeRow kBridge[] = {
    {"llama3-8b", 8, 128, 1, 8192, 1, 1, 1, 1, 1, 16},
    {"llama3-70b", 64, 128, 1, 8192, 4, 8, 1, 5, 1, 64},
    {"llama3-405b", 1024, 512, 1, 8192, 8, 8, 2, 8, 1, 64},
    {"qwen3-30b-a3b", 16, 512, 2, 4096, 1, 2, 1, 24, 8, 32},
    {"qwen3-235b-a22b", 256, 2048, 1, 4096, 2, 8, 1, 4, 32, 128},
    {"deepseek-v3", 1024, 8192, 1, 4096, 2, 8, 1, 4, 64, 128},
};

TEST(GoldenLayouts, OfMegatronBridge) {
  for (const BridgeRow& row : kBridge) {
    Layout layout{.tp = row.tp, .cp = row.cp, .ep = row.ep, .pp = row.pp, .vpp = row.vpp};
    layout.dp = row.gpus / (row.tp * row.cp * row.pp);
    const Model model = preset(row.preset);
    if (model.experts) layout.etp = 1;
    EXPECT_EQ(ranks(layout), row.gpus) << row.preset;
    EXPECT_EQ(micro_batches_of(row.global_batch, row.micro_batch, layout), row.accumulation)
        << row.preset;
    expect_feasible(model, layout,
                    {.micro_batch = row.micro_batch,
                     .micro_batches = row.accumulation,
                     .sequence = row.sequence});
  }
}

TEST(GoldenLayouts, OfDeepSeekV3HaveFewerRanksThanTheProductOfAllDegrees) {
  // Megatron's guide to parallelism multiplies TP, PP, CP, EP and DP; its own row of 1024 GPUs with
  // TP 2, PP 16 and EP 64 contradicts it: EP is carved out of the ranks of a stage.
  const Layout layout{.tp = 2, .ep = 64, .etp = 1, .dp = 32, .pp = 16};
  EXPECT_EQ(ranks(layout), 1024);
  EXPECT_EQ(expert_dp(layout), 1);
  expect_feasible(preset("deepseek-v3"), layout, {.micro_batches = 16, .sequence = 4096});
}

}  // namespace
}  // namespace collbench::model
