// SPDX-License-Identifier: Apache-2.0
// Tests of descriptions against numbers worked out by hand.
#include "statistics/description.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace collbench::statistics {
namespace {

std::vector<double> one_to(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Description, OfFiveValuesInAnyOrder) {
  const std::vector<double> values = {5, 1, 4, 2, 13};
  EXPECT_EQ(describe(values), (Description{.n = 5,
                                           .min = 1,
                                           .q1 = 2,
                                           .median = 4,
                                           .mean = 5,
                                           .q3 = 5,
                                           .p95 = std::nullopt,
                                           .p99 = std::nullopt,
                                           .max = 13}));
}

TEST(Description, OfOneValueIsThatValue) {
  const std::vector<double> values = {2.5};
  const Description d = describe(values);
  EXPECT_EQ(d.n, 1U);
  for (const double value : {d.min, d.q1, d.median, d.mean, d.q3, d.max}) EXPECT_EQ(value, 2.5);
}

TEST(Description, TailsAppearWithEnoughValues) {
  EXPECT_FALSE(describe(one_to(58)).p95);
  EXPECT_NEAR(describe(one_to(59)).p95.value(), 1 + 0.95 * 58, 1e-12);
  EXPECT_FALSE(describe(one_to(298)).p99);
  EXPECT_NEAR(describe(one_to(299)).p99.value(), 1 + 0.99 * 298, 1e-12);
}

// 0.5^4 = 0.0625 is above 5 %, 0.5^5 = 0.031 below it.
TEST(Description, ValuesForUpperBound) {
  EXPECT_EQ(values_for_upper_bound(0.5), 5U);
  EXPECT_EQ(values_for_upper_bound(0.9), 29U);
  EXPECT_EQ(values_for_upper_bound(0.95), 59U);
  EXPECT_EQ(values_for_upper_bound(0.99), 299U);
}

}  // namespace
}  // namespace collbench::statistics
