// SPDX-License-Identifier: Apache-2.0
#include "base/float8.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace collbench {
namespace {

// Landmarks of the specification's tables 1 and 2.
TEST(Float8, LandmarksOfE4M3) {
  EXPECT_EQ(to_float(Float8E4M3{0x7e}), 448.0F);
  EXPECT_EQ(to_float(Float8E4M3{0x08}), 0x1p-6F);    // least normal
  EXPECT_EQ(to_float(Float8E4M3{0x07}), 0x1.cp-7F);  // greatest subnormal: 0.875 * 2^-6
  EXPECT_EQ(to_float(Float8E4M3{0x01}), 0x1p-9F);
  EXPECT_EQ(to_float(Float8E4M3{0xb8}), -1.0F);
  EXPECT_TRUE(std::isnan(to_float(Float8E4M3{0x7f})));
  EXPECT_TRUE(std::isnan(to_float(Float8E4M3{0xff})));
}

TEST(Float8, LandmarksOfE5M2) {
  EXPECT_EQ(to_float(Float8E5M2{0x7b}), 57344.0F);
  EXPECT_EQ(to_float(Float8E5M2{0x04}), 0x1p-14F);
  EXPECT_EQ(to_float(Float8E5M2{0x03}), 0x1.8p-15F);  // 0.75 * 2^-14
  EXPECT_EQ(to_float(Float8E5M2{0x01}), 0x1p-16F);
  EXPECT_EQ(to_float(Float8E5M2{0xbc}), -1.0F);
  EXPECT_EQ(to_float(Float8E5M2{0x7c}), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(to_float(Float8E5M2{0x7d})));
}

template <class Type, Type (*from)(float), int kLargest>
void check_every_pattern() {
  for (int pattern = 0; pattern < 256; ++pattern) {
    const Type value{static_cast<std::uint8_t>(pattern)};
    const float real = to_float(value);
    if (std::isnan(real)) {
      EXPECT_TRUE(std::isnan(to_float(from(real)))) << pattern;
    } else if (std::isfinite(real)) {
      EXPECT_EQ(from(real).bits, pattern);
    }
  }
  for (int low = 0; low < kLargest; ++low) {
    const float below = to_float(Type{static_cast<std::uint8_t>(low)});
    const float above = to_float(Type{static_cast<std::uint8_t>(low + 1)});
    const float middle = (below + above) / 2;
    EXPECT_EQ(from(middle).bits, low % 2 == 0 ? low : low + 1);
    EXPECT_EQ(from(std::nextafter(middle, below)).bits, low);
    EXPECT_EQ(from(std::nextafter(middle, above)).bits, low + 1);
    EXPECT_EQ(from(-middle).bits, 0x80 | from(middle).bits);
  }
  EXPECT_EQ(from(1e30F).bits, kLargest);
  EXPECT_EQ(from(-std::numeric_limits<float>::infinity()).bits, 0x80 | kLargest);
}

TEST(Float8, EveryPatternComesBackAndRoundsToNearestTiesToEven) {
  check_every_pattern<Float8E4M3, to_float8_e4m3, 0x7e>();
  check_every_pattern<Float8E5M2, to_float8_e5m2, 0x7b>();
}

}  // namespace
}  // namespace collbench
