// SPDX-License-Identifier: Apache-2.0
// Tests of unit conversion: what people read stays short, and comes back unchanged.
#include "results/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace collbench {
namespace {

TEST(Units, KeepShortDecimalsShort) {
  EXPECT_EQ(us_from_s(285.21e-6), 285.21);
  EXPECT_EQ(s_from_us(285.21), 285.21e-6);
  EXPECT_EQ(us_from_s(3.000018), 3000018);
  EXPECT_EQ(GBps_from_Bps(7e5), 0.0007);
  EXPECT_EQ(Bps_from_GBps(12.5), 12.5e9);
  EXPECT_EQ(us_from_s(0), 0);
  EXPECT_EQ(us_from_s(-1.5e-6), -1.5);
}

// One rounding to 15 digits, at most 5e-15 of the value; from then on nothing moves.
TEST(Units, SurviveThereAndBack) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-9, 3);
  for (int i = 0; i < 10000; ++i) {
    const double seconds = std::pow(10, exponent(random));
    const double us = us_from_s(seconds);
    EXPECT_NEAR(us / 1e6 / seconds, 1, 1e-14);
    const double again = s_from_us(us);
    EXPECT_EQ(us_from_s(again), us);
    EXPECT_EQ(s_from_us(us_from_s(again)), again);
  }
}

TEST(Units, DoNotHideWhatIsNotANumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(us_from_s(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(us_from_s(-infinity), -infinity);
  EXPECT_EQ(us_from_s(1e305), infinity);
  EXPECT_EQ(s_from_us(1e-320), 0);
}

}  // namespace
}  // namespace collbench
