// SPDX-License-Identifier: Apache-2.0
#include "routing/shape.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "model/presets.h"

namespace collbench::routing {
namespace {

Shape shape(const model::Layout& layout, int ranks_per_node, const RoutingSpec& spec = {}) {
  model::Step step;
  step.sequence = 4096;
  step.micro_batch = 2;
  return shape_of(spec, model::preset("deepseek-v3"), layout, step, ranks_per_node);
}

TEST(Shape, IsOfTheTokensThatEnterTheLayerOnARank) {
  model::Layout layout;
  layout.tp = 2;
  layout.cp = 2;
  layout.dp = 4;
  layout.ep = 8;
  layout.etp = 1;
  EXPECT_EQ(shape(layout, 8), (Shape{.ranks = 8,
                                     .experts = 256,
                                     .per_token = 8,
                                     .tokens = 4096 * 2 / 4,
                                     .groups = {8, 4},
                                     .ranks_per_node = 8}));
  RoutingSpec spec;
  spec.groups = GroupLimit{1, 1};
  EXPECT_EQ(shape(layout, 8, spec).groups, (GroupLimit{1, 1}));
}

TEST(Shape, KnowsWhichOfItsRanksShareANode) {
  model::Layout layout;
  layout.dp = 16;
  layout.ep = 8;
  EXPECT_EQ(shape(layout, 4).ranks_per_node, 4);
  EXPECT_EQ(shape(layout, 1).ranks_per_node, 1);
  EXPECT_EQ(shape(layout, 16).ranks_per_node, 8);
  EXPECT_EQ(shape(layout, 3).ranks_per_node, 1);  // 3, 3 and 2
  // Neighbours in the group are 4 ranks apart where experts are divided by 4.
  layout.etp = 4;
  layout.ep = 4;
  EXPECT_EQ(shape(layout, 8).ranks_per_node, 2);
}

TEST(Shape, IsRefusedWhereTokensFindTooFewExperts) {
  const auto refuses = [](const Shape& shape) {
    try {
      require_possible(shape);
    } catch (const UserError&) {
      return true;
    }
    return false;
  };
  const Shape possible = {.ranks = 4, .experts = 8, .per_token = 2, .groups = {4, 1}};
  EXPECT_FALSE(refuses(possible));
  Shape broken = possible;
  broken.ranks = 3;
  EXPECT_TRUE(refuses(broken));
  broken = possible;
  broken.per_token = 3;
  EXPECT_TRUE(refuses(broken));
  broken = possible;
  broken.groups = {3, 1};
  EXPECT_TRUE(refuses(broken));
  broken = {.ranks = 1, .experts = 1 << 16};
  EXPECT_TRUE(refuses(broken));
}

TEST(Shape, OfADenseModelIsNone) {
  EXPECT_THROW(shape_of({}, model::preset("llama3-8b"), {}, {}, 8), UserError);
}

TEST(Shape, RoundsItsCapacityUp) {
  const Shape shape = {.ranks = 1, .experts = 8, .per_token = 2, .tokens = 10};
  EXPECT_EQ(capacity_rows(shape, 1), 3U);  // of 2.5
  EXPECT_EQ(capacity_rows(shape, 1.2), 3U);
  EXPECT_EQ(capacity_rows(shape, 1.21), 4U);
  EXPECT_EQ(capacity_rows(shape, 0.01), 1U);
}

}  // namespace
}  // namespace collbench::routing
