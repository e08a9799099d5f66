// SPDX-License-Identifier: Apache-2.0
#include "statistics/two_samples.h"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics/distributions.h"

namespace collbench::statistics {
namespace {

// Tables of Student's distribution: two-sided 95 % of 8 and of 1 degree of freedom.
TEST(Student, QuantilesAreThoseOfTables) {
  EXPECT_NEAR(student_upper_quantile(0.025, 8), 2.306, 5e-4);
  EXPECT_NEAR(student_upper_quantile(0.025, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_upper_tail(2.306, 8), 0.025, 5e-6);
  EXPECT_DOUBLE_EQ(student_upper_tail(0, 3.5), 0.5);
}

TEST(Samples, VarianceIsUnbiased) {
  const Sample sample = sample_of(std::vector{2.0, 4.0, 9.0});
  EXPECT_EQ(sample.n, 3U);
  EXPECT_DOUBLE_EQ(sample.mean, 5);
  EXPECT_DOUBLE_EQ(sample.variance, 13);
  EXPECT_DOUBLE_EQ(sample_of(std::vector{7.0}).variance, 0);
}

// Variances 1 and 4 of 5 values each: (1/5 + 4/5)^2 / (1/25/4 + 16/25/4) = 1 / 0.17.
TEST(MeanDifferences, DegreesAreSatterthwaites) {
  const auto found = mean_difference({5, 10, 1}, {5, 13, 4}, 1e-9);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->difference, 3);
  EXPECT_DOUBLE_EQ(found->standard_error, 1);
  EXPECT_NEAR(found->degrees, 1 / 0.17, 1e-12);
  EXPECT_NEAR(found->upper_probability() + found->lower_probability(), 1, 1e-12);
  EXPECT_LT(found->upper_probability(), 0.02);
  const Interval interval = found->interval95();
  EXPECT_NEAR(interval.low + interval.high, 6, 1e-12);
  EXPECT_NEAR(interval.high - 3, student_upper_quantile(0.025, 1 / 0.17), 1e-12);
}

TEST(MeanDifferences, OneValueAgainstManyIsAPrediction) {
  const auto later = mean_difference({4, 10, 4}, {1, 13, 0}, 1e-9);
  ASSERT_TRUE(later);
  EXPECT_DOUBLE_EQ(later->standard_error, std::sqrt(5));  // 2 * sqrt(1 + 1/4)
  EXPECT_DOUBLE_EQ(later->degrees, 3);
  const auto earlier = mean_difference({1, 13, 0}, {4, 10, 4}, 1e-9);
  ASSERT_TRUE(earlier);
  EXPECT_DOUBLE_EQ(earlier->difference, -3);
  EXPECT_DOUBLE_EQ(earlier->standard_error, later->standard_error);
}

TEST(MeanDifferences, TooFewValuesSayNothing) {
  EXPECT_FALSE(mean_difference({1, 1, 0}, {1, 2, 0}, 1e-9));
  EXPECT_FALSE(mean_difference({2, 1, 1}, {1, 2, 0}, 1e-9));
  EXPECT_FALSE(mean_difference({0, 0, 0}, {5, 2, 1}, 1e-9));
  EXPECT_TRUE(mean_difference({2, 1, 1}, {2, 2, 1}, 1e-9));
}

TEST(MeanDifferences, ValuesThatAgreeByChanceAreNotTakenForExact) {
  const auto found = mean_difference({2, 1, 0}, {2, 1.001, 0}, 0.001);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->standard_error, 0.001);
  EXPECT_DOUBLE_EQ(found->degrees, 2);
  EXPECT_GT(found->upper_probability(), 0.1);
}

// The example of Benjamini and Hochberg's paper: 15 probabilities, 4 discoveries at 5 %.
TEST(Discoveries, AreThoseOfThePaper) {
  const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  EXPECT_EQ(discovery_bound(p, 0.05), 0.0095);
  EXPECT_EQ(discovery_bound({p.rbegin(), p.rend()}, 0.05), 0.0095);
  EXPECT_FALSE(discovery_bound({0.4, 0.03}, 0.05));
  EXPECT_EQ(discovery_bound({0.05, 0.04}, 0.05), 0.05);  // a later one saves an earlier one
  EXPECT_FALSE(discovery_bound({}, 0.05));
}

}  // namespace
}  // namespace collbench::statistics
