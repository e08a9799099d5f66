// SPDX-License-Identifier: Apache-2.0
#include "statistics/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace collbench::statistics {
namespace {

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const std::vector<double> values = {10, 20, 30, 40, 50};
  EXPECT_EQ(quantile(values, 0), 10);
  EXPECT_EQ(quantile(values, 0.25), 20);
  EXPECT_EQ(quantile(values, 0.9), 46);
  EXPECT_EQ(quantile(values, 1), 50);
}

// The classic table of binomial ranks, one-based there and zero-based here.
TEST(MedianIntervalRanks, MatchTheTable) {
  EXPECT_FALSE(median_interval_ranks(5));
  const std::vector<std::array<std::size_t, 3>> table = {
      {6, 1, 6},    {10, 2, 9},    {20, 6, 15},    {30, 10, 21},
      {50, 18, 33}, {100, 40, 61}, {200, 86, 115}, {1000, 469, 532}};
  for (const auto& [n, low, high] : table) {
    const auto ranks = median_interval_ranks(n);
    ASSERT_TRUE(ranks) << n;
    EXPECT_EQ(ranks->low + 1, low) << n;
    EXPECT_EQ(ranks->high + 1, high) << n;
  }
}

TEST(MedianInterval, CoversTheTrueMedianAsOftenAsItSays) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> times(0, 0.5);  // true median 1
  int covered = 0;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(20);
    std::generate(values.begin(), values.end(), [&] { return times(random); });
    const auto interval = median_interval(values);
    covered += interval->low <= 1 && 1 <= interval->high;
  }
  EXPECT_GT(covered, 0.945 * kTrials);  // exact coverage at n = 20 is 95.9 %
  EXPECT_LT(covered, 0.975 * kTrials);
}

TEST(RelativeHalfWidth, IsAShareOfTheMedian) {
  EXPECT_DOUBLE_EQ(relative_half_width({9, 11}, 10), 0.1);
}

}  // namespace
}  // namespace collbench::statistics
