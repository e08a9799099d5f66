// SPDX-License-Identifier: Apache-2.0
#include "routing/balance.h"

#include <gtest/gtest.h>

#include <vector>

#include "routing/imbalance.h"
#include "routing/rows.h"

namespace collbench::routing {
namespace {

TEST(Balance, FollowsTheSignOfTheLoad) {
  const std::vector<std::uint64_t> loads = {10, 40, 25, 25};
  EXPECT_EQ(balanced({}, loads, 0.5), (Bias{0.5, -0.5, 0, 0}));
  EXPECT_EQ(balanced({1, 1, 1, 1}, loads, 0.5), (Bias{1.5, 0.5, 1, 1}));
  EXPECT_EQ(balanced({1, 2}, std::vector<std::uint64_t>{0, 0}, 0.5), (Bias{1, 2}));
}

TEST(Balance, LevelsAZipfOverFiftySteps) {
  const Shape shape = {.ranks = 4, .experts = 64, .per_token = 4, .tokens = 2048, .groups = {}};
  const RoutingSpec spec = parse_routing_spec("zipf:1.2", "--routing");
  Bias bias;
  std::vector<double> unevenness;
  for (std::uint64_t step = 0; step <= 50; ++step) {
    const std::vector<std::uint64_t> loads = drawn_rows(spec, shape, 0, step, bias).chosen.loads();
    unevenness.push_back(max_over_mean(loads));
    bias = balanced(bias, loads, 0.05);
  }
  EXPECT_GT(unevenness[0], 10);
  for (std::size_t step = 10; step <= 50; step += 10) {
    EXPECT_LT(unevenness[step], unevenness[step - 10]) << step;
  }
  EXPECT_LT(unevenness[50], 2);
}

TEST(Imbalance, SaysHowUnevenRowsAre) {
  const Shape shape = {.ranks = 2, .experts = 4, .per_token = 1, .tokens = 4, .groups = {}};
  Tally tally(shape, 2);
  tally.add({1, {0, 0, 0, 2}});
  tally.add({1, {0, 1, 2, 3}});
  const Imbalance imbalance = imbalance_of(tally.rows());
  EXPECT_DOUBLE_EQ(imbalance.max_violation, 1);  // 4 of 8 copies for one of 4 experts
  EXPECT_DOUBLE_EQ(imbalance.dropped_share, 1.0 / 8);
  EXPECT_DOUBLE_EQ(imbalance.padded_share, 9.0 / 16);  // 7 rows in a room for 16
  EXPECT_DOUBLE_EQ(imbalance.rank_max_over_mean, 4 / 3.5);
  EXPECT_DOUBLE_EQ(max_over_mean(std::vector<std::uint64_t>{0, 0}), 1);
}

}  // namespace
}  // namespace collbench::routing
