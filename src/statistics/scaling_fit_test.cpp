// SPDX-License-Identifier: Apache-2.0
#include "statistics/scaling_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace collbench::statistics {
namespace {

std::vector<RanksThroughput> points_of(const ScalingLaw& law, int counts, double noise = 0,
                                       unsigned seed = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> error(0, noise > 0 ? noise : 1);
  std::vector<RanksThroughput> points;
  for (int i = 0; i < counts; ++i) {
    const double ranks = std::exp2(i);
    points.push_back({ranks, law.throughput(ranks) * (noise > 0 ? std::exp(error(random)) : 1)});
  }
  return points;
}

ScalingLaw law(double single, double contention, double coherency) {
  ScalingLaw law;
  law.single = single;
  law.contention = contention;
  law.coherency = coherency;
  return law;
}

TEST(ScalingFit, AmdahlByHand) {
  // A tenth does not divide: 4 ranks take 0.1 + 0.9 / 4 of the time of one.
  EXPECT_NEAR(law(100, 0.1, 0).throughput(4), 100 / 0.325, 1e-9);
  EXPECT_FALSE(law(100, 0.1, 0).best_ranks().has_value());
  EXPECT_NEAR(*law(100, 0.04, 0.0006).best_ranks(), 40, 1e-9);
}

TEST(ScalingFit, ExactThroughputGivesItsLaw) {
  const auto amdahl = fit_scaling(LawKind::amdahl, points_of(law(5e4, 0.05, 0), 4));
  ASSERT_TRUE(amdahl.has_value());
  EXPECT_NEAR(amdahl->single, 5e4, 1e-3);
  EXPECT_NEAR(amdahl->contention, 0.05, 1e-9);
  EXPECT_EQ(amdahl->coherency, 0);
  EXPECT_NEAR(amdahl->median_error, 0, 1e-9);
  EXPECT_NEAR(amdahl->contention_without_one.low, 0.05, 1e-9);
  EXPECT_NEAR(amdahl->contention_without_one.high, 0.05, 1e-9);

  const auto universal = fit_scaling(LawKind::universal, points_of(law(5e4, 0.02, 5e-4), 7));
  ASSERT_TRUE(universal.has_value());
  EXPECT_NEAR(universal->single, 5e4, 1e-2);
  EXPECT_NEAR(universal->contention, 0.02, 1e-8);
  EXPECT_NEAR(universal->coherency, 5e-4, 1e-9);
}

TEST(ScalingFit, NoisyThroughputGivesItsLawNearly) {
  std::vector<double> contentions, coherencies, ranges;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const auto fit =
        fit_scaling(LawKind::universal, points_of(law(1e3, 0.03, 2e-4), 8, 0.01, seed));
    contentions.push_back(fit->contention);
    coherencies.push_back(fit->coherency);
    EXPECT_LE(fit->contention_without_one.low, fit->contention);
    EXPECT_GE(fit->contention_without_one.high, fit->contention);
    EXPECT_GE(fit->coherency_without_one.low, 0);
  }
  EXPECT_NEAR(median(contentions), 0.03, 0.002);
  EXPECT_NEAR(median(coherencies), 2e-4, 1e-5);
}

TEST(ScalingFit, TheBaseNeedNotBeOneRank) {
  std::vector<RanksThroughput> points = points_of(law(1e3, 0.01, 0), 6);
  points.erase(points.begin(), points.begin() + 3);
  const auto fit = fit_scaling(LawKind::amdahl, points);
  EXPECT_NEAR(fit->single, 1e3, 1e-5);
  EXPECT_NEAR(fit->contention, 0.01, 1e-9);
}

TEST(ScalingFit, BoundsHold) {
  // Better than linear, which no law has: it is linear.
  const auto better =
      fit_scaling(LawKind::universal,
                  std::vector<RanksThroughput>{{1, 1}, {2, 2.2}, {4, 4.8}, {8, 10}, {16, 21}});
  EXPECT_EQ(better->contention, 0);
  EXPECT_EQ(better->coherency, 0);
  // More ranks do less: nothing divides, and they disturb each other.
  const auto worse =
      fit_scaling(LawKind::universal,
                  std::vector<RanksThroughput>{{1, 1}, {2, 0.5}, {4, 0.3}, {8, 0.2}, {16, 0.1}});
  EXPECT_LE(worse->contention, 1);
  EXPECT_GT(worse->coherency, 0);
  EXPECT_TRUE(std::isfinite(worse->median_error));
}

TEST(ScalingFit, FewPointsHaveNoLaw) {
  const auto points = points_of(law(1, 0.1, 0.001), 4);
  EXPECT_FALSE(fit_scaling(LawKind::universal, points).has_value());
  EXPECT_TRUE(fit_scaling(LawKind::amdahl, points).has_value());
  EXPECT_FALSE(fit_scaling(LawKind::amdahl, std::span(points).first(2)).has_value());
}

TEST(ScalingFit, WhatRestsOnOnePointIsSaid) {
  std::vector<RanksThroughput> points = points_of(law(1e3, 0.02, 0), 5);
  points.back().throughput *= 0.7;
  const auto fit = fit_scaling(LawKind::amdahl, points);
  EXPECT_NEAR(fit->contention_without_one.low, 0.02, 1e-9);  // without the last
  EXPECT_GT(fit->contention_without_one.high, fit->contention);
  const Interval at = throughput_without_one(points, *fit, 32);
  EXPECT_NEAR(at.high, law(1e3, 0.02, 0).throughput(32), 1e-3);
  EXPECT_LT(at.low, fit->throughput(32));
}

}  // namespace
}  // namespace collbench::statistics
