// SPDX-License-Identifier: Apache-2.0
#include "base/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace collbench {
namespace {

// The value of a half by its definition: sign, exponent biased by 15, 10 bits of fraction.
double half_by_definition(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Half, EveryPatternReadsAsDefinedAndComesBack) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const double expected = half_by_definition(half.bits);
    const float value = to_float(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_TRUE(std::isnan(to_float(to_half(value)))) << bits;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), expected) << bits;
    ASSERT_EQ(to_half(value).bits, bits);
  }
}

TEST(Half, RoundsBetweenNeighboursToNearestTiesToEven) {
  for (std::uint16_t low = 0; low < 0x7bff; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const float below = to_float(Half{low});
    const float above = to_float(Half{high});
    const float middle = (below + above) / 2;  // exact in a float
    ASSERT_EQ(to_half(middle).bits, low % 2 == 0 ? low : high);
    ASSERT_EQ(to_half(std::nextafter(middle, below)).bits, low);
    ASSERT_EQ(to_half(std::nextafter(middle, above)).bits, high);
  }
}

TEST(Half, TooLargeIsInfinity) {
  EXPECT_EQ(to_half(65519.996F).bits, 0x7bff);
  EXPECT_EQ(to_half(65520.0F).bits, 0x7c00);
  EXPECT_EQ(to_half(-1e30F).bits, 0xfc00);
}

TEST(BFloat16, RoundsToNearestTiesToEven) {
  for (std::uint32_t low = 0; low < 0x7f7f; ++low) {
    const std::uint32_t high = low + 1;
    const float middle = std::bit_cast<float>((low << 16) | 0x8000U);
    const float below = to_float(BFloat16{static_cast<std::uint16_t>(low)});
    const float above = to_float(BFloat16{static_cast<std::uint16_t>(high)});
    ASSERT_EQ(to_bfloat16(below).bits, low);
    ASSERT_EQ(to_bfloat16(middle).bits, low % 2 == 0 ? low : high);
    ASSERT_EQ(to_bfloat16(std::nextafter(middle, below)).bits, low);
    ASSERT_EQ(to_bfloat16(std::nextafter(middle, above)).bits, high);
  }
}

TEST(BFloat16, NanStaysNan) {
  EXPECT_TRUE(std::isnan(to_float(to_bfloat16(std::bit_cast<float>(0x7f800001U)))));
}

}  // namespace
}  // namespace collbench
