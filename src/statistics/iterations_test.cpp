// SPDX-License-Identifier: Apache-2.0
// Against numbers worked out by hand by nccl-tests' rules.
#include "statistics/iterations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace collbench::statistics {
namespace {

TEST(IterationSummary, OfFourValues) {
  const IterationSummary s = summarize_iterations(std::vector<double>{7, 1, 3, 5});
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 7);
  EXPECT_EQ(s.mean, 4);
  EXPECT_EQ(s.p50, 5);  // the upper middle
  EXPECT_EQ(s.p95, 7);
  EXPECT_EQ(s.p99, 7);
  EXPECT_DOUBLE_EQ(s.deviation, std::sqrt(5.0));  // squares 9, 9, 1, 1, over 4
  EXPECT_DOUBLE_EQ(s.variation, std::sqrt(5.0) / 4);
}

TEST(IterationSummary, PercentilesAreNearestRanks) {
  std::vector<double> values(200);
  std::iota(values.begin(), values.end(), 1.0);
  EXPECT_EQ(summarize_iterations(values).p99, 198);
  EXPECT_EQ(summarize_iterations(values).p95, 190);
  values.resize(20);
  EXPECT_EQ(summarize_iterations(values).p95, 19);
}

}  // namespace
}  // namespace collbench::statistics
