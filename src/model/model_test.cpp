// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "model/parameters.h"
#include "model/presets.h"

namespace collbench::model {
namespace {

std::string why_not(const Model& model, int layers) {
  try {
    with_layers(model, layers);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(WithLayers, LeavesOutLayersAndNothingElse) {
  const Model whole = preset("llama3-8b");
  const Count all = parameters(whole), two = parameters(with_layers(whole, 2));
  const Count one_layer = (all - two) / 30;
  EXPECT_EQ(all - two, 30 * one_layer);
  EXPECT_EQ(two - parameters(with_layers(whole, 1)), one_layer);
  EXPECT_EQ(parameters(with_layers(whole, 32)), all);
  EXPECT_EQ(with_layers(whole, 2).name, whole.name);
}

TEST(WithLayers, AMixtureKeepsItsDenseLayersFirst) {
  const Model whole = preset("deepseek-v3");
  const Model few = with_layers(whole, 5);
  require_valid(few);
  EXPECT_FALSE(has_experts(few, 2));
  EXPECT_TRUE(has_experts(few, 3));
  EXPECT_EQ(expert_layers(few), 2);
  EXPECT_EQ(why_not(whole, 3),
            "model deepseek-v3 cannot have 3 layers: it has 61, of which the first 3 have no "
            "experts; choose from 4 to 61");
}

TEST(WithLayers, WhatTheModelHasNot) {
  const Model whole = preset("llama3-8b");
  EXPECT_EQ(why_not(whole, 33),
            "model llama3-8b cannot have 33 layers: it has 32; choose from 1 to 32");
  EXPECT_NE(why_not(whole, 0), "");
  EXPECT_NE(why_not(whole, -1), "");
}

// Experts that no layer has are no mixture to keep.
TEST(WithLayers, ExpertsWithoutLayers) {
  Model dense = preset("deepseek-v3");
  dense.experts->dense_layers = dense.layers;
  const Model few = with_layers(dense, 2);
  require_valid(few);
  EXPECT_EQ(expert_layers(few), 0);
}

}  // namespace
}  // namespace collbench::model
