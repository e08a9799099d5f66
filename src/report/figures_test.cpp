// SPDX-License-Identifier: Apache-2.0
#include "report/figures.h"

#include <gtest/gtest.h>

namespace collbench::report {
namespace {

TEST(Figures, FourDigitsWithoutAnExponent) {
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(1), "1");
  EXPECT_EQ(significant(0.0012349), "0.001235");
  EXPECT_EQ(significant(12.345), "12.35");
  EXPECT_EQ(significant(99.996), "100");
  EXPECT_EQ(significant(123456), "123456");
  EXPECT_EQ(significant(-2.5), "-2.5");
  EXPECT_EQ(significant(1.2346e-9), "1.235e-09");
}

TEST(Figures, DurationsHaveTheUnitThatSuits) {
  EXPECT_EQ(duration(12.5e-6), "12.5 us");
  EXPECT_EQ(duration(12.5e-3), "12.5 ms");
  EXPECT_EQ(duration(12.5), "12.5 s");
}

TEST(Figures, WhatIsAbsentIsEmpty) {
  EXPECT_EQ(GB_per_s(std::nullopt), "");
  EXPECT_EQ(GB_per_s(3.25e9), "3.25");
}

}  // namespace
}  // namespace collbench::report
