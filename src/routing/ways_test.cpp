// SPDX-License-Identifier: Apache-2.0
#include "routing/ways.h"

#include <gtest/gtest.h>

#include <string>

namespace collbench::routing {
namespace {

/// 4 nodes of 4 ranks.
Shape shape() {
  return {.ranks = 16,
          .experts = 64,
          .per_token = 4,
          .tokens = 1024,
          .groups = {},
          .ranks_per_node = 4};
}

std::vector<Way> drawn(const char* text) {
  const RoutingSpec spec = parse_routing_spec(text, "--routing");
  return ways(spec, shape(), drawn_rows(spec, shape(), 0, 0), 32);
}

std::vector<std::string> names(const std::vector<Way>& ways) {
  std::vector<std::string> names;
  for (const Way& way : ways) names.emplace_back(way.name);
  return names;
}

TEST(Ways, AreAsManyRowsAsExpected) {
  for (const char* text : {"balanced", "uniform", "hot:0.5"}) {
    const std::vector<Way> all = drawn(text);
    EXPECT_EQ(names(all), (std::vector<std::string>{"alltoall", "per_rank", "per_node", "fan_out",
                                                    "allgather"}));
    for (const Way& way : all) {
      ASSERT_TRUE(way.expected_moved_rows) << text << way.name;
      EXPECT_NEAR(way.moved_rows, *way.expected_moved_rows, 0.01 * *way.expected_moved_rows)
          << text << way.name;
      EXPECT_GE(way.most_sent, way.moved_rows);
      EXPECT_GE(way.most_received, way.moved_rows);
      EXPECT_GT(way.rows, way.moved_rows);
    }
  }
}

TEST(Ways, SaveRowsOneAfterTheOther) {
  const std::vector<Way> all = drawn("zipf:1");
  EXPECT_EQ(all[0].rows, 4096);
  EXPECT_LT(all[1].rows, all[0].rows);
  EXPECT_LT(all[2].rows, all[1].rows);
  EXPECT_EQ(all[3].rows, all[1].rows);
  EXPECT_EQ(all[4].moved_rows, 31 * 1024);
  EXPECT_TRUE(all[0].expected_moved_rows);
  EXPECT_FALSE(all[1].expected_moved_rows);
}

TEST(Ways, OnOneNodeGoNowhereElse) {
  Shape one = shape();
  one.ranks_per_node = 16;
  const RoutingSpec spec;
  EXPECT_EQ(names(ways(spec, one, drawn_rows(spec, one, 0, 0), 16)),
            (std::vector<std::string>{"alltoall", "per_rank", "allgather"}));
}

TEST(Ways, WithACapacityHaveOneThatIsFixed) {
  const std::vector<Way> all = drawn("zipf:1,capacity:1");
  EXPECT_EQ(names(all)[1], "padded");
  EXPECT_EQ(all[1].rows, 4096);  // 64 places of each of 64 experts
  EXPECT_EQ(all[1].moved_rows, 4096.0 * 15 / 16);
  EXPECT_EQ(all[1].most_received, all[1].moved_rows);
  EXPECT_LT(all[0].rows, 4096);
  EXPECT_FALSE(all[0].expected_moved_rows);
}

}  // namespace
}  // namespace collbench::routing
