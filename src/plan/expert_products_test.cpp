// SPDX-License-Identifier: Apache-2.0
// What experts compute: a product for each of them, with the tokens that chose it.
#include <gtest/gtest.h>

#include "plan/exact_schemes.h"
#include "routing/rows.h"

namespace collbench::plan {
namespace {

/// 16 experts on 4 ranks.
Plan plan_of(const std::string& routing) {
  model::Model model = small_model();
  model.layers = 1;
  model.experts = {.routed = 16, .per_token = 4, .ffn = 512};
  model::Layout layout = layout_of(1, 1, 4, 1);
  layout.ep = 4;
  Scheme scheme;
  scheme.experts.routing.spec = routing::parse_routing_spec(routing, "--routing");
  return training_step("x", model, layout, step_of(1), scheme);
}

const Op& op_named(const RankClass& ranks, const std::string& label) {
  for (const Op& op : ranks.ops) {
    if (op.label == label) return op;
  }
  throw std::logic_error("no operation " + label);
}

struct Shape {
  Count m, n, k, times;
  bool operator==(const Shape&) const = default;
};

std::vector<Shape> products(const RankClass& ranks, const std::string& label) {
  std::vector<Shape> shapes;
  for (const Gemm& gemm : op_named(ranks, label).gemms) {
    shapes.push_back({gemm.m, gemm.n, gemm.k, gemm.times});
  }
  return shapes;
}

// 4 ranks have 1024 tokens each, for 4 of 16 experts: 1024 for each of the 4 of a rank.
TEST(ExpertProducts, AreAlikeWhereRoutingIsBalanced) {
  const Plan plan = plan_of("balanced");
  const RankClass& ranks = plan.classes.front();
  const Shape up = {1024, 512, 1024, 4}, down = {1024, 1024, 512, 4};
  EXPECT_EQ(products(ranks, "F0 layer 0 experts"), (std::vector{up, up, down}));
  EXPECT_EQ(products(ranks, "B0 layer 0 experts row inputs"),
            (std::vector<Shape>{{1024, 512, 1024, 4}}));
  EXPECT_EQ(products(ranks, "B0 layer 0 experts row weights"),
            (std::vector<Shape>{{1024, 512, 1024, 4}}));
  EXPECT_EQ(products(ranks, "B0 layer 0 experts column weights"),
            (std::vector<Shape>{{512, 1024, 1024, 4}, {512, 1024, 1024, 4}}));
}

// 6 copies of a rank's tokens for each other rank do not divide by its 4 experts: what ranks tell
// of their tokens is what experts work on.
TEST(ExpertProducts, AreAsManyAsAreToldWhereExpertsDiffer) {
  model::Model model = small_model();
  model.layers = 1;
  model.experts = {.routed = 16, .per_token = 4, .ffn = 512};
  model::Layout layout = layout_of(1, 1, 4, 1);
  layout.ep = 4;
  model::Step step = step_of(1);
  step.sequence = 6;
  step.micro_batch = 1;
  const Plan plan = training_step("x", model, layout, step, {});
  ASSERT_EQ(plan.tables.size(), 1u);
  const std::vector<Count>& told = plan.tables.front();
  EXPECT_EQ(std::vector<Count>(told.begin(), told.begin() + 4), (std::vector<Count>{2, 2, 1, 1}));
  std::vector<Count> worked_on;
  for (const Shape& product : products(plan.classes.front(), "B0 layer 0 experts row inputs")) {
    worked_on.insert(worked_on.end(), product.times, product.m);
  }
  EXPECT_EQ(worked_on, (std::vector<Count>{8, 8, 4, 4}));  // of 4 ranks
}

// As the router chose, which is drawn here once more.
TEST(ExpertProducts, HaveTheTokensOfTheirExpert) {
  const std::string words = "zipf:1.2,seed:7";
  const Plan plan = plan_of(words);
  ASSERT_EQ(plan.classes.size(), 4u);
  const routing::Shape shape = {.ranks = 4, .experts = 16, .per_token = 4, .tokens = 1024};
  const routing::RoutingSpec spec = routing::parse_routing_spec(words, "--routing");
  const std::vector<std::uint64_t> loads = routing::drawn_rows(spec, shape, 0, 0).chosen.loads();
  Count all = 0;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    std::vector<Count> rows;
    for (const Shape& product : products(plan.classes[rank], "F0 layer 0 experts")) {
      if (product.n != 512) continue;  // gate and up
      rows.insert(rows.end(), product.times, product.m);
    }
    std::vector<Count> expected;
    for (int matrix = 0; matrix < 2; ++matrix) {
      for (std::size_t e = 4 * rank; e < 4 * rank + 4; ++e) {
        if (loads[e] > 0) expected.push_back(loads[e]);
        all += loads[e];
      }
    }
    EXPECT_EQ(rows, expected) << "rank " << rank;
  }
  EXPECT_EQ(all, 2u * 4 * 1024 * 4);
}

// No product, and none of nothing.
TEST(ExpertProducts, AreOfExpertsThatSomebodyChose) {
  const Plan plan = plan_of("zipf:10,seed:3");
  std::size_t idle = 0;
  for (const RankClass& ranks : plan.classes) {
    Count experts = 0;
    for (const Shape& product : products(ranks, "B0 layer 0 experts row weights")) {
      EXPECT_GT(product.k, 0u);
      experts += product.times;
    }
    idle += 4 - experts;
  }
  EXPECT_GT(idle, 0u);
}

TEST(ExpertProducts, ShrinkAsOthersDo) {
  const Plan whole = plan_of("balanced"), small = shrunk(whole, 8);
  EXPECT_EQ(flops(small.classes.front()) * 8, flops(whole.classes.front()));
}

}  // namespace
}  // namespace collbench::plan
