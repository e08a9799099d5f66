// SPDX-License-Identifier: Apache-2.0
#include "statistics/growth_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace collbench::statistics {
namespace {

std::vector<RanksTime> grow(Growth growth, double start, double slope, int counts, double noise,
                            unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> error(0, noise);
  std::vector<RanksTime> points;
  for (int i = 1; i <= counts; ++i) {
    const double ranks = std::exp2(i);
    const double time = start + slope * (growth == Growth::linear ? ranks : std::log2(ranks));
    points.push_back({ranks, time * std::exp(noise > 0 ? error(random) : 0)});
  }
  return points;
}

TEST(GrowthFit, ExactTimesGiveTheirForm) {
  for (const Growth growth : {Growth::logarithmic, Growth::linear}) {
    const auto fit = fit_growth(grow(growth, 3e-6, 2e-6, 6, 0, 0));
    ASSERT_TRUE(fit.has_value());
    EXPECT_EQ(fit->growth, growth);
    EXPECT_NEAR(fit->start, 3e-6, 1e-12);
    EXPECT_NEAR(fit->slope, 2e-6, 1e-12);
    EXPECT_NEAR(fit->median_error, 0, 1e-9);
    EXPECT_NEAR(fit->time(64), growth == Growth::linear ? 131e-6 : 15e-6, 1e-11);
    EXPECT_GT(fit->criterion_lead.value_or(0), 10);
  }
}

TEST(GrowthFit, NoiseHidesTheFormSeldom) {
  for (const Growth growth : {Growth::logarithmic, Growth::linear}) {
    int right = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
      right += fit_growth(grow(growth, 3e-6, 2e-6, 6, 0.05, seed))->growth == growth;
    }
    EXPECT_GE(right, 196);
  }
}

TEST(GrowthFit, FewPointsHaveNoCriterionAndFewerNoFit) {
  EXPECT_FALSE(fit_growth(grow(Growth::linear, 1, 1, 4, 0, 0))->criterion_lead.has_value());
  EXPECT_TRUE(fit_growth(grow(Growth::linear, 1, 1, 5, 0, 0))->criterion_lead.has_value());
  EXPECT_TRUE(fit_growth(grow(Growth::linear, 1, 1, 3, 0, 0)).has_value());
  EXPECT_FALSE(fit_growth(grow(Growth::linear, 1, 1, 2, 0, 0)).has_value());
}

TEST(GrowthFit, LargeCountsDoNotOutweighSmallOnes) {
  std::vector<RanksTime> points = grow(Growth::linear, 10e-6, 1e-6, 10, 0, 0);
  points.back().time *= 1.1;
  const auto fit = fit_growth(points);
  EXPECT_EQ(fit->growth, Growth::linear);
  EXPECT_NEAR(fit->start, 10e-6, 1e-6);
}

}  // namespace
}  // namespace collbench::statistics
