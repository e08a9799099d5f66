// SPDX-License-Identifier: Apache-2.0
#include "routing/expected.h"

#include <gtest/gtest.h>

#include "routing/imbalance.h"
#include "routing/rows.h"

namespace collbench::routing {
namespace {

constexpr int kNodes = 4;

/// A layer of DeepSeek-V3 with 2048 tokens per rank, on nodes of 4 ranks.
Shape shape() {
  return {.ranks = 16,
          .experts = 256,
          .per_token = 8,
          .tokens = 2048,
          .groups = {},
          .ranks_per_node = 4};
}

double per_token(std::uint64_t rows) { return static_cast<double>(rows) / (16 * 2048); }

class Expected : public testing::TestWithParam<const char*> {};

TEST_P(Expected, IsWhatIsDrawn) {
  const RoutingSpec spec = parse_routing_spec(GetParam(), "--routing");
  const Rows rows = drawn_rows(spec, shape(), 0, 0);
  EXPECT_NEAR(static_cast<double>(moved_rows(copies(rows.kept))) / 16,
              expected_moved_copies(shape()), 0.005 * expected_moved_copies(shape()));
  const auto ranks = expected_distinct(spec, shape(), 16);
  const auto nodes = expected_distinct(spec, shape(), kNodes);
  const auto busiest = expected_max_over_mean(spec, shape());
  ASSERT_EQ(ranks.has_value(), spec.distribution != Distribution::zipf);
  if (!ranks) return;
  EXPECT_NEAR(per_token(all_rows(rows.deduplicated->per_rank)), *ranks, 0.01 * *ranks);
  EXPECT_NEAR(per_token(all_rows(rows.deduplicated->per_node)), *nodes, 0.01 * *nodes);
  EXPECT_NEAR(imbalance_of(rows).max_violation + 1, *busiest,
              0.1 + 0.03 * *busiest);  // the busiest of 256
}

INSTANTIATE_TEST_SUITE_P(Distributions, Expected,
                         testing::Values("balanced", "uniform", "hot:0.3", "hot:0.9", "hot:1",
                                         "zipf:1.2"));

TEST(Expected, IsKnownForAHotExpertAndNotForLimitedGroups) {
  RoutingSpec spec = parse_routing_spec("hot:0.25", "--routing");
  EXPECT_EQ(expected_max_over_mean(spec, shape()), 8);
  // A share of k/E is uniform.
  spec.parameter = 8.0 / 256;
  EXPECT_NEAR(*expected_distinct(spec, shape(), 8), 5.295, 0.0005);
  Shape limited = shape();
  limited.groups = {8, 4};
  EXPECT_FALSE(expected_distinct(spec, limited, 8));
  EXPECT_FALSE(expected_max_over_mean(spec, limited));
  // One expert for all tokens is one rank.
  Shape one = shape();
  one.per_token = 1;
  spec.parameter = 1;
  EXPECT_DOUBLE_EQ(*expected_distinct(spec, one, 8), 1);
}

}  // namespace
}  // namespace collbench::routing
