// SPDX-License-Identifier: Apache-2.0
#include "model/parameters.h"

#include <gtest/gtest.h>

namespace collbench::model {
namespace {

Model llama3_8b() {
  return {.name = "llama3-8b",
          .layers = 32,
          .hidden = 4096,
          .ffn = 14336,
          .heads = 32,
          .kv_heads = 8,
          .head_dim = 128,
          .vocabulary = 128256,
          .sequence = 8192};
}

/// Two layers of which the second has four experts, and one shared.
Model small_moe() {
  return {
      .name = "small-moe",
      .layers = 2,
      .hidden = 8,
      .ffn = 32,
      .heads = 4,
      .kv_heads = 2,
      .head_dim = 2,
      .vocabulary = 256,
      .sequence = 16,
      .experts = Experts{.routed = 4, .per_token = 2, .ffn = 12, .shared = 1, .dense_layers = 1}};
}

TEST(Parameters, OfAModelAreThoseOfItsStages) {
  const Model model = llama3_8b();
  const Layout layout{.pp = 4, .vpp = 2};
  Count sum = 0;
  for (int pp = 0; pp < 4; ++pp) sum += rank_parameters(model, layout, pp).total();
  EXPECT_EQ(parameters(model), 8'030'261'248U);
  EXPECT_EQ(sum, parameters(model));
}

TEST(Parameters, DivideByTensorAndExpertParallelism) {
  const Model model = small_moe();
  // Attention: q and out 8*8, k and v 4*8; norms 2*8.
  const Count attention = 64 + 32 + 32 + 64, norms = 16, embedding_and_head = 2 * 256 * 8 + 8;
  const ParameterCount whole = rank_parameters(model, {}, 0);
  EXPECT_EQ(whole.expert, 4U * 3 * 12 * 8);
  EXPECT_EQ(whole.dense,
            2 * (attention + norms) + 3 * 32 * 8 + 4 * 8 + 3 * 12 * 8 + embedding_and_head);
  // Norms and the router are on every rank.
  const ParameterCount half = rank_parameters(model, {.tp = 2, .ep = 2, .etp = 1}, 0);
  EXPECT_EQ(half.expert, whole.expert / 2);
  EXPECT_EQ(half.dense, (whole.dense + 2 * norms + 4 * 8 + 8) / 2);
  EXPECT_EQ(rank_parameters(model, {.tp = 2, .ep = 1}, 0).expert, whole.expert / 2);
}

TEST(Parameters, RepeatKeyValueHeadsWhereRanksAreMore) {
  const Model model = small_moe();
  const std::vector<Block> stage = stage_blocks(model, {.tp = 4, .etp = 1}, 0);
  const std::vector<Tensor>& layer = stage[1].tensors;
  EXPECT_EQ(layer[1].name, "attention.q");
  EXPECT_EQ(layer[1].rows, 2U);
  EXPECT_EQ(layer[2].name, "attention.k");
  EXPECT_EQ(layer[2].rows, 2U);
}

TEST(Parameters, CopyATiedEmbeddingToTheLastStage) {
  Model model = llama3_8b();
  const Count matrix = model.vocabulary * model.hidden;
  model.tied_embeddings = true;
  EXPECT_EQ(parameters(model), 8'030'261'248U - matrix);
  const Count both =
      rank_parameters(model, {.pp = 2}, 0).total() + rank_parameters(model, {.pp = 2}, 1).total();
  EXPECT_EQ(both, parameters(model) + matrix);
}

TEST(Parameters, PadTheVocabularyToWholeTilesOfEachRank) {
  Model model = llama3_8b();
  model.vocabulary = 50257;
  EXPECT_EQ(padded_vocabulary(model, {}), 50304U);
  EXPECT_EQ(padded_vocabulary(model, {.tp = 8}), 51200U);
}

TEST(Parameters, FollowUnevenStages) {
  const Model model = llama3_8b();
  const Layout layout{.pp = 4, .stage_layers = {7, 9, 9, 7}};
  EXPECT_EQ(stage_layers(model, layout, 2).first, 16);
  EXPECT_EQ(stage_layers(model, layout, 3).count, 7);
  EXPECT_EQ(stage_blocks(model, layout, 0).size(), 8U);  // and the embedding
}

}  // namespace
}  // namespace collbench::model
