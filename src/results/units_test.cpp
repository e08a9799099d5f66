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

// One rounding, of half a picosecond or 5e-15 of a rate; from then on nothing moves.
TEST(Units, SurviveThereAndBack) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-9, 3);
  for (int i = 0; i < 10000; ++i) {
    const double seconds = std::pow(10, exponent(random));
    const double us = us_from_s(seconds);
    EXPECT_NEAR(us, seconds * 1e6, 0.6e-6);
    EXPECT_EQ(us_from_s(s_from_us(us)), us);
    EXPECT_EQ(s_from_us(us_from_s(s_from_us(us))), s_from_us(us));
    const double rate_Bps = seconds * 1e9;
    const double rate_GBps = GBps_from_Bps(rate_Bps);
    EXPECT_NEAR(rate_GBps * 1e9 / rate_Bps, 1, 1e-14);
    EXPECT_EQ(GBps_from_Bps(Bps_from_GBps(rate_GBps)), rate_GBps);
  }
}

// Two readings of a clock that has run for a day differ by 3328.715 us and a noise of 1e-11 s.
TEST(Units, LeaveTheNoiseOfTheClockBehind) {
  const double before_s = 86400.0, after_s = 86400.003328715;
  EXPECT_NE((after_s - before_s) * 1e6, 3328.715);
  EXPECT_NEAR(us_from_s(after_s - before_s), 3328.715, 1e-5);
  EXPECT_EQ(us_from_s(3328.71499995235e-6), 3328.715);
}

TEST(Units, TimesLongerThanAnyComeBackToo) {
  for (const double us : {9e9, 12345678901.2345, 98765432109876.5, 1.23456789012345e90}) {
    EXPECT_EQ(us_from_s(s_from_us(us)), us);
  }
}

TEST(Units, DoNotHideWhatIsNotANumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(us_from_s(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(us_from_s(-infinity), -infinity);
  EXPECT_EQ(us_from_s(1e308), infinity);
  EXPECT_EQ(s_from_us(1e-320), 0);
}

}  // namespace
}  // namespace collbench
