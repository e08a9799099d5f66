// SPDX-License-Identifier: Apache-2.0
#include "measure/stop_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "statistics/series.h"

namespace collbench {
namespace {

// Alternates around 1 s with the given relative spread.
std::vector<double> noisy(std::size_t n, double spread) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(i % 2 == 0 ? 1 - spread : 1 + spread);
  return values;
}

TEST(StopRule, FirstSampleAloneThenUpToTheMinimum) {
  EXPECT_EQ(decide({}, {}, 0).more_samples, 1U);
  EXPECT_EQ(decide({}, noisy(1, 0), 0.001).more_samples, 19U);
}

TEST(StopRule, StopsAtTheTargetButNotBelowTheMinimum) {
  EXPECT_EQ(decide({}, noisy(19, 0), 0.02).more_samples, 1U);
  EXPECT_EQ(decide({}, noisy(20, 0.001), 0.02).reason, StopReason::target);
}

TEST(StopRule, GrowsByATenthWhileImprecise) {
  const Decision decision = decide({}, noisy(100, 0.2), 0.1);
  EXPECT_EQ(decision.reason, StopReason::none);
  EXPECT_EQ(decision.more_samples, 10U);
}

TEST(StopRule, StopsWhenTimeIsUp) {
  EXPECT_EQ(decide({}, noisy(100, 0.2), 2.0).reason, StopReason::max_time);
  EXPECT_EQ(decide({}, noisy(1, 0), 3.0).reason, StopReason::max_time);
}

TEST(StopRule, ABatchFitsIntoTheRemainingTime) {
  EXPECT_EQ(decide({}, noisy(1, 0), 0.5).more_samples, 3U);
  EXPECT_EQ(decide({}, noisy(3, 0), 1.5).more_samples, 1U);
}

TEST(StopRule, StopsAtTheLargestNumberOfSamples) {
  const StopRule rule{.max_samples = 30};
  EXPECT_EQ(decide(rule, noisy(29, 0.2), 0.1).more_samples, 1U);
  EXPECT_EQ(decide(rule, noisy(30, 0.2), 0.1).reason, StopReason::max_samples);
}

TEST(StopRule, FixedMeansExactly) {
  const StopRule rule{.fixed_samples = 1};
  EXPECT_EQ(decide(rule, {}, 0).more_samples, 1U);
  EXPECT_EQ(decide(rule, noisy(1, 0), 100).reason, StopReason::fixed);
}

// Normal noise of this relative spread around 1, of which each value shares the part `rho` with the
// one before, as the stop rule samples it: how often the interval that it ends with covers the true
// median.
double coverage(double spread, double rho, int trials, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  const auto normal = [&] {  // by Box and Muller: the same with every standard library
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * uniform());
  };
  int covered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> samples;
    double deviation = normal();
    for (Decision next; (next = decide({}, samples, 0)).more_samples > 0;) {
      for (std::uint64_t i = 0; i < next.more_samples; ++i) {
        samples.push_back(1 + spread * deviation);
        deviation = rho * deviation + std::sqrt(1 - rho * rho) * normal();
      }
    }
    const auto interval = statistics::dependent_median_interval(samples);
    covered += interval && interval->low <= 1 && 1 <= interval->high;
  }
  return static_cast<double>(covered) / trials;
}

TEST(StopRule, LookingAgainAndAgainKeepsTheIntervalsHonest) {
  for (const double spread : {0.01, 0.03, 0.05}) {
    const double share = coverage(spread, 0, 1000, 11);
    EXPECT_GE(share, 0.93) << spread;
    EXPECT_LE(share, 0.98) << spread;
  }
}

// Dependence is only seen in some tens of samples, so that a small spread can stop before.
TEST(StopRule, SamplesThatDependOnTheirNeighboursAreCoveredNearlyAsOften) {
  for (const double rho : {0.3, 0.6}) {
    EXPECT_GE(coverage(0.05, rho, 300, 12), 0.91) << rho;
    EXPECT_GE(coverage(0.03, rho, 300, 12), 0.86) << rho;
  }
}

TEST(OperationsPerSample, FillTheBlock) {
  EXPECT_EQ(operations_per_sample(1.5e-6, 1e-3), 667U);
  EXPECT_EQ(operations_per_sample(1e-3, 1e-3), 1U);
  EXPECT_EQ(operations_per_sample(5, 1e-3), 1U);
  EXPECT_EQ(operations_per_sample(0, 1e-3), 1'000'000U);
}

}  // namespace
}  // namespace collbench
