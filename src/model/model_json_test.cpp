// SPDX-License-Identifier: Apache-2.0
#include "model/model_json.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "model/parameters.h"

namespace collbench::model {
namespace {

const std::string kDense =
    R"("name": "mine", "layers": 2, "hidden": 64, "ffn": 128, "heads": 4, "vocabulary": 256, "sequence": 32)";

Model read(const std::string& members) { return model_from_json("{" + members + "}", "mine.json"); }

/// The message without the file's name.
std::string refusal(const std::string& members) {
  try {
    read(members);
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("mine.json: ")) << text;
    return text.substr(text.find(' ') + 1);
  }
  return "accepted";
}

TEST(ModelJson, FillsInWhatFollowsFromTheRest) {
  const Model model = read(kDense);
  EXPECT_EQ(model.kv_heads, 4);
  EXPECT_EQ(model.head_dim, 16U);
  EXPECT_TRUE(model.gated_mlp);
  EXPECT_EQ(model.norm, Norm::rms);
  EXPECT_FALSE(model.experts);
}

TEST(ModelJson, ReadsEveryKey) {
  const Model model = read(kDense + R"(,
      "source": "x", "kv_heads": 2, "head_dim": 8, "gated_mlp": false, "tied_embeddings": true,
      "qk_norm": true, "norm": "layer", "biases": "all", "positions": "learned",
      "prediction_layers": 1,
      "experts": {"routed": 8, "per_token": 2, "ffn": 32, "shared": 1, "dense_layers": 1,
                  "groups": 4, "groups_per_token": 2, "balanced_by_bias": true})");
  EXPECT_EQ(model.source, "x");
  EXPECT_EQ(model.kv_heads, 2);
  EXPECT_EQ(model.head_dim, 8U);
  EXPECT_FALSE(model.gated_mlp);
  EXPECT_TRUE(model.tied_embeddings);
  EXPECT_TRUE(model.qk_norm);
  EXPECT_EQ(model.norm, Norm::layer);
  EXPECT_EQ(model.biases, Biases::all);
  EXPECT_EQ(model.positions, Positions::learned);
  EXPECT_EQ(model.prediction_layers, 1);
  EXPECT_EQ(model.experts->routed, 8);
  EXPECT_EQ(model.experts->per_token, 2);
  EXPECT_EQ(model.experts->ffn, 32U);
  EXPECT_EQ(model.experts->shared, 1);
  EXPECT_EQ(model.experts->dense_layers, 1);
  EXPECT_EQ(model.experts->groups, 4);
  EXPECT_EQ(model.experts->groups_per_token, 2);
  EXPECT_TRUE(model.experts->balanced_by_bias);
}

TEST(ModelJson, ReadsLatentAttention) {
  const Model model = read(kDense + R"(, "latent_attention": {"query_rank": 16, "kv_rank": 8,
      "nope_head_dim": 12, "rope_head_dim": 4, "value_head_dim": 16})");
  EXPECT_EQ(query_head_dim(model), 16U);
  EXPECT_EQ(value_head_dim(model), 16U);
  EXPECT_EQ(model.latent_attention->query_rank, 16U);
}

TEST(ModelJson, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(refusal("\"name\": \"x\""), "/layers: missing");
  EXPECT_EQ(refusal(kDense + R"(, "kv_haeds": 2)").substr(0, 45),
            "/kv_haeds: unknown key; known are biases, exp");
  EXPECT_EQ(refusal(kDense + R"(, "experts": {"routed": 4, "per_token": 1, "ffn": 8, "top": 1})")
                .substr(0, 34),
            "/experts/top: unknown key; known a");
  EXPECT_EQ(refusal(kDense + R"(, "kv_heads": "2")"),
            "/kv_heads: expected a whole number from 0 to 2^31 - 1, found \"2\"");
  EXPECT_EQ(refusal(kDense + R"(, "kv_heads": -2)"),
            "/kv_heads: expected a whole number from 0 to 2^31 - 1, found -2");
  EXPECT_EQ(refusal(kDense + R"(, "norm": "batch")"),
            "/norm: 'batch' is no norm; choose from rms, layer");
  EXPECT_EQ(refusal(kDense + R"(, "qk_norm": 1)"), "/qk_norm: expected true or false");
  EXPECT_EQ(refusal(kDense + R"(, "experts": 8)"), "/experts: expected an object");
  EXPECT_EQ(refusal(kDense + R"(, "heads": 8)"), "the key 'heads' is given twice; remove one");
  EXPECT_EQ(refusal(kDense + ",\n\"x\": NaN"), "line 2: this is not JSON");
  EXPECT_EQ(refusal(kDense + R"(, "experts": [[[[[1]]]]])"), "nested too deeply: this is no model");
  EXPECT_THROW(model_from_json("[]", "x"), UserError);
  EXPECT_THROW(model_from_json("{\"a\": 1e999}", "x"), UserError);
  EXPECT_THROW(model_from_json("{\"a\": \"\xff\"}", "x"), UserError);
  EXPECT_THROW(model_from_json("", "x"), UserError);
}

TEST(ModelJson, RefusesShapesThatNoModelHas) {
  EXPECT_EQ(
      refusal(kDense + R"(, "kv_heads": 3)"),
      "model mine: 4 heads cannot share 3 key-value heads evenly; kv_heads must divide heads");
  EXPECT_EQ(refusal(kDense + R"(, "experts": {"routed": 4, "per_token": 5, "ffn": 8})"),
            "model mine: experts/per_token must be from 1 to 4");
  EXPECT_EQ(refusal(kDense + R"(, "head_dim": 0)"),
            "model mine: head_dim must be from 1 to 262144");
  EXPECT_EQ(refusal(kDense + R"(, "head_dim": 262144)"),
            "model mine: heads * head_dim must be from 1 to 262144");
}

TEST(ModelJson, RefusesNamesThatBreakALine) {
  const std::string rest =
      R"(, "layers": 2, "hidden": 64, "ffn": 64, "heads": 4, "vocabulary": 256, "sequence": 32)";
  const std::string why =
      "a model's name must not be empty, and neither it nor the source may have line breaks or "
      "other control characters";
  EXPECT_EQ(refusal(R"("name": "")" + rest), why);
  EXPECT_EQ(refusal(R"("name": "a\nb")" + rest), why);
  EXPECT_EQ(refusal(R"("name": "a", "source": "\u001b[2J")" + rest), why);
  EXPECT_EQ(model_from_json(R"({"name": "qué 7B")" + rest + "}", "x").name, "qué 7B");
}

TEST(ModelJson, WantsAnFfnUnlessAllLayersHaveExperts) {
  const std::string without =
      R"("name": "m", "layers": 2, "hidden": 64, "heads": 4, "vocabulary": 256, "sequence": 32)";
  EXPECT_EQ(refusal(without), "model m: ffn must be from 1 to 262144");
  EXPECT_EQ(refusal(without + R"(, "experts": {"routed": 4, "per_token": 1, "ffn": 8})"),
            "accepted");
}

}  // namespace
}  // namespace collbench::model
