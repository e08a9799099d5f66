// SPDX-License-Identifier: Apache-2.0
// Simulated series with known answers. Seeds are fixed: each test gives the same on every run.
#include "statistics/series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace collbench::statistics {
namespace {

// Standard normal values by the Box-Muller transform: the same with every standard library.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : random_(seed) {}
  double operator()() {
    const double u = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    const double v = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846 * v);
  }

 private:
  std::mt19937_64 random_;
};

// Around 1 with 1 % noise, each value sharing the part `rho` of its deviation with the one before.
std::vector<double> series(std::size_t n, double rho, Normal& normal) {
  std::vector<double> values;
  double deviation = normal();
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(1 + 0.01 * deviation);
    deviation = rho * deviation + std::sqrt(1 - rho * rho) * normal();
  }
  return values;
}

TEST(FindOutliers, CountsByTukeysFences) {
  // Quartiles 2 and 4, range 2: fences at -1 and 7, and at -4 and 10.
  const Outliers found = find_outliers(std::vector<double>{1, 2, 2, 2, 3, 4, 4, 4, 8});
  EXPECT_EQ(found.mild, 1U);
  EXPECT_EQ(found.severe, 0U);
  EXPECT_EQ(found.spikes, 1U);
  EXPECT_EQ(find_outliers(std::vector<double>{1, 2, 2, 2, 3, 4, 4, 4, 11}).severe, 1U);
}

TEST(FindOutliers, OfNormalNoiseAreFew) {
  Normal normal(1);
  const Outliers found = find_outliers(series(10'000, 0, normal));
  EXPECT_NEAR(static_cast<double>(found.mild), 70, 30);  // 0.7 % lie beyond the inner fences
  EXPECT_LE(found.severe, 1U);
  EXPECT_EQ(found.spikes, 0U);
}

TEST(TrendProbability, MatchesAWorkedExample) {
  // 10 ascending values: S = 45, variance 10*9*25/18 = 125, z = 44/sqrt(125) = 3.935.
  EXPECT_NEAR(trend_probability(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), 8.30e-5, 1e-6);
  // Ties: two pairs of equal values take 2 * 2*1*9/18 = 2 off; S = 43, z = 42/sqrt(123).
  EXPECT_NEAR(trend_probability(std::vector<double>{1, 1, 3, 4, 5, 6, 7, 8, 9, 9}), 1.53e-4, 2e-6);
  EXPECT_EQ(trend_probability(std::vector<double>(20, 3.0)), 1);
}

TEST(Drifts, FalseAlarmsAreRareAndTrendsAreFound) {
  Normal normal(2);
  int false_alarms = 0;
  int found = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> values = series(100, 0, normal);
    false_alarms += drifts(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] *= 1 + 0.06 * static_cast<double>(i) / 100;  // 6 % over the series, 3 % by halves
    }
    found += drifts(values);
  }
  EXPECT_EQ(false_alarms, 0);
  EXPECT_EQ(found, 300);
}

TEST(Lag1Autocorrelation, FindsWhatWasPutIn) {
  Normal normal(3);
  for (const double rho : {-0.5, 0.0, 0.3, 0.9}) {
    EXPECT_NEAR(lag1_autocorrelation(series(20'000, rho, normal)), rho, 0.03) << rho;
  }
  EXPECT_EQ(lag1_autocorrelation(std::vector<double>(50, 2.0)), 0);
  EXPECT_EQ(lag1_autocorrelation(std::vector<double>{1, 2}), 0);
}

// Of series that share `rho` of each deviation, signs do so by Sheppard's formula.
TEST(ValuesPerIndependentOne, FindsWhatWasPutIn) {
  Normal normal(7);
  for (const double rho : {-0.5, 0.0, 0.3, 0.6, 0.9}) {
    double expected = 1;
    for (int lag = 1; lag < 200; ++lag) {
      expected += 2 * std::asin(std::pow(rho, lag)) * 2 / 3.14159265358979323846;
    }
    EXPECT_NEAR(values_per_independent_one(series(20'000, rho, normal)), std::max(expected, 1.0),
                0.15 * std::max(expected, 1.0))
        << rho;
  }
  EXPECT_EQ(values_per_independent_one(std::vector<double>(50, 2.0)), 1);
  EXPECT_EQ(values_per_independent_one(std::vector<double>{1, 2}), 1);
}

// The share of 2000 series of n values whose interval covers the true median, 1.
double coverage(std::size_t n, double rho) {
  Normal normal(4);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto interval = dependent_median_interval(series(n, rho, normal));
    covered += interval && interval->low <= 1 && 1 <= interval->high;
  }
  return static_cast<double>(covered) / kTrials;
}

TEST(DependentMedianInterval, CoversWhetherValuesDependOrNot) {
  for (const std::size_t n : {100U, 200U, 500U}) {
    for (const double rho : {0.0, 0.3, 0.6}) {
      const double share = coverage(n, rho);
      EXPECT_GT(share, 0.93) << n << ' ' << rho;
      EXPECT_LT(share, 0.98) << n << ' ' << rho;
    }
  }
}

TEST(DependentMedianInterval, IsAbsentWhereValuesAreWorthTooFew) {
  Normal normal(6);
  std::vector<double> rising = series(50, 0, normal);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] += 0.1 * static_cast<double>(i);
  EXPECT_TRUE(depends_on_neighbours(rising));
  EXPECT_FALSE(dependent_median_interval(rising));
  EXPECT_FALSE(dependent_median_interval(std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(dependent_median_interval(std::vector<double>{1, 3, 1, 3, 1, 3}));
}

TEST(DependsOnNeighbours, IndependentValuesAreRarelySuspected) {
  Normal normal(8);
  for (const std::size_t n : {20U, 60U, 200U}) {
    int suspected = 0;
    for (int trial = 0; trial < 1000; ++trial) {
      suspected += depends_on_neighbours(series(n, 0, normal));
    }
    EXPECT_LT(suspected, 40) << n;
  }
}

TEST(StartsDifferently, PureNoiseRarelyDoesAndAColdStartDoes) {
  Normal normal(9);
  for (const std::size_t n : {20U, 40U, 100U}) {
    int false_alarms = 0;
    int found = 0;
    for (int trial = 0; trial < 1000; ++trial) {
      std::vector<double> values = series(n, 0, normal);
      false_alarms += starts_differently(values);
      for (std::size_t i = 0; i < n / 5; ++i) values[i] *= 1.1;
      found += starts_differently(values);
    }
    EXPECT_LT(false_alarms, 10) << n;
    EXPECT_GT(found, 900) << n;
  }
}

TEST(StartUpLength, FindsAColdStart) {
  Normal normal(5);
  std::vector<double> values = series(200, 0, normal);
  for (std::size_t i = 0; i < 30; ++i) values[i] *= 1.5;
  EXPECT_NEAR(static_cast<double>(start_up_length(values)), 30, 1);
  EXPECT_EQ(start_up_length(std::vector<double>(10, 1.0)), 0U);
  EXPECT_EQ(start_up_length({}), 0U);
}

TEST(Outliers, ValuesThatDifferByRoundingAreNone) {
  std::vector<double> values(50, 20.48576e-6);
  for (std::size_t i = 0; i < 10; ++i) values[i] *= 1 + 1e-15 * static_cast<double>(i);
  const Outliers found = find_outliers(values);
  EXPECT_EQ(found.mild + found.severe, 0U);
}

}  // namespace
}  // namespace collbench::statistics
