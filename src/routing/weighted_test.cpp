// SPDX-License-Identifier: Apache-2.0
#include "routing/weighted.h"

#include <gtest/gtest.h>

#include <vector>

namespace collbench::routing {
namespace {

constexpr int kDraws = 100000;

TEST(Weighted, DrawsByWeight) {
  const std::vector<std::uint64_t> weights = {1, 70, 9, 20, 300};
  const Weighted weighted(weights);
  EXPECT_EQ(weighted.total(), 400U);
  PortableRandom random(1);
  std::vector<double> drawn(weights.size(), 0);
  for (int i = 0; i < kDraws; ++i) drawn[weighted.draw(random)] += 1.0 / kDraws;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_NEAR(drawn[i], static_cast<double>(weights[i]) / 400, 0.006) << i;
  }
}

TEST(Weighted, DrawsOneOfOneAndOfEquals) {
  PortableRandom random(1);
  EXPECT_EQ(Weighted(std::vector<std::uint64_t>{7}).draw(random), 0U);
  const Weighted equal(std::vector<std::uint64_t>(4, std::uint64_t{1} << 32U));
  std::vector<int> drawn(4, 0);
  for (int i = 0; i < kDraws; ++i) ++drawn[equal.draw(random)];
  for (const int count : drawn) EXPECT_NEAR(count, kDraws / 4, 600);
}

TEST(Weighted, DrawsByWeightWhereWhatIsTakenWeighsNearlyAll) {
  const Weighted weighted(std::vector<std::uint64_t>{std::uint64_t{1} << 32U, 1, 2, 1});
  PortableRandom random(1);
  std::vector<double> drawn(4, 0);
  for (int i = 0; i < kDraws; ++i) {
    const std::size_t other =
        weighted.draw_other(random, std::uint64_t{1} << 32U, [](std::size_t x) { return x == 0; });
    drawn[other] += 1.0 / kDraws;
  }
  EXPECT_EQ(drawn[0], 0);
  EXPECT_NEAR(drawn[1], 0.25, 0.006);
  EXPECT_NEAR(drawn[2], 0.5, 0.006);
  EXPECT_NEAR(drawn[3], 0.25, 0.006);
}

}  // namespace
}  // namespace collbench::routing
