// SPDX-License-Identifier: Apache-2.0
#include "measure/stop_rule.h"

#include <gtest/gtest.h>

#include <vector>

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

TEST(OperationsPerSample, FillTheBlock) {
  EXPECT_EQ(operations_per_sample(1.5e-6, 1e-3), 667U);
  EXPECT_EQ(operations_per_sample(1e-3, 1e-3), 1U);
  EXPECT_EQ(operations_per_sample(5, 1e-3), 1U);
  EXPECT_EQ(operations_per_sample(0, 1e-3), 1'000'000U);
}

}  // namespace
}  // namespace collbench
