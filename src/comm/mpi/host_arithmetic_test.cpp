// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace collbench {
namespace {

constexpr Count kAllBitPatterns = 1 << 16;

template <class Float16>
std::vector<Float16> all_values() {
  std::vector<Float16> values(kAllBitPatterns);
  for (Count i = 0; i < kAllBitPatterns; ++i) values[i].bits = static_cast<std::uint16_t>(i);
  return values;
}

template <class Float16>
Float16 from_float(float value);
template <>
Half from_float(float value) {
  return to_half(value);
}
template <>
BFloat16 from_float(float value) {
  return to_bfloat16(value);
}

template <class Float16>
class Float16Arithmetic : public ::testing::Test {};
using Formats = ::testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(Float16Arithmetic, Formats);

// Rounding, overflow, subnormal results, infinities and NaN, in all positions of a vector unit.
TYPED_TEST(Float16Arithmetic, AddsLikeTheConversionsDo) {
  const auto in = all_values<TypeParam>();
  for (const float addend : {0.0F, 1.0F, -0.00012F, 3e4F, -3e38F}) {
    const auto other = from_float<TypeParam>(addend);
    std::vector<TypeParam> sum(in.size(), other);
    add(in.data(), sum.data(), in.size());
    for (Count i = 0; i < in.size(); ++i) {
      const float exact = to_float(in[i]) + to_float(other);
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(to_float(sum[i]))) << i;
      } else {
        ASSERT_EQ(sum[i].bits, from_float<TypeParam>(exact).bits) << i << " + " << addend;
      }
    }
  }
}

TYPED_TEST(Float16Arithmetic, KeepsTheLarger) {
  const auto in = all_values<TypeParam>();
  for (const float other : {0.0F, 1.5F, -2.0F}) {
    std::vector<TypeParam> kept(in.size(), from_float<TypeParam>(other));
    keep_larger(in.data(), kept.data(), in.size());
    for (Count i = 0; i < in.size(); ++i) {
      const float value = to_float(in[i]);
      if (std::isnan(value)) continue;
      ASSERT_EQ(to_float(kept[i]), std::max(value, other)) << i << ", " << other;
    }
  }
}

TYPED_TEST(Float16Arithmetic, NeverTouchesWhatLiesBehindTheLast) {
  for (Count count = 0; count < 70; ++count) {
    const std::vector<TypeParam> in(count + 1, from_float<TypeParam>(1));
    std::vector<TypeParam> inout(count + 1, from_float<TypeParam>(2));
    add(in.data(), inout.data(), count);
    for (Count i = 0; i < count; ++i) ASSERT_EQ(to_float(inout[i]), 3) << i;
    EXPECT_EQ(to_float(inout[count]), 2) << count;
    const std::vector<TypeParam> large(count + 1, from_float<TypeParam>(7));
    keep_larger(large.data(), inout.data(), count);
    for (Count i = 0; i < count; ++i) ASSERT_EQ(to_float(inout[i]), 7) << i;
    EXPECT_EQ(to_float(inout[count]), 2) << count;
  }
}

TEST(KeepLarger, OrdersZerosAndNaN) {
  constexpr std::uint16_t kNaN = 0x7e00;
  const std::vector<Half> in = {{0x8000}, {0x0000}, {kNaN}, {0x3c00}};
  std::vector<Half> inout = {{0x0000}, {0x8000}, {0x7c00}, {kNaN}};
  keep_larger(in.data(), inout.data(), in.size());
  EXPECT_EQ(inout[0].bits, 0x0000);
  EXPECT_EQ(inout[1].bits, 0x0000);
  EXPECT_EQ(inout[2].bits, kNaN);
  EXPECT_EQ(inout[3].bits, kNaN);
}

TEST(Divide, RoundsFloatsCorrectly) {
  std::vector<float> data = {1, 2, -10, 0, 1e-45F};
  divide(data.data(), data.size(), DataType::float32, 3);
  EXPECT_EQ(data, (std::vector<float>{1.0F / 3, 2.0F / 3, -10.0F / 3, 0, 0}));
}

TEST(Divide, RoundsHalvesCorrectly) {
  for (const int divisor : {1, 3, 7, 2047}) {
    auto data = all_values<Half>();
    divide(data.data(), data.size(), DataType::half, divisor);
    for (Count i = 0; i < data.size(); ++i) {
      const double value = to_float(Half{static_cast<std::uint16_t>(i)});
      if (!std::isfinite(value)) continue;
      const double quotient = value / divisor;
      const auto bits = static_cast<std::uint16_t>(data[i].bits & 0x7fff);
      // No neighbour is nearer to the quotient.
      const double error = std::abs(std::abs(to_float(Half{bits})) - std::abs(quotient));
      for (const int step : {-1, 1}) {
        if (bits == 0 && step < 0) continue;
        const Half neighbour{static_cast<std::uint16_t>(bits + step)};
        if (!std::isfinite(to_float(neighbour))) continue;
        ASSERT_LE(error, std::abs(to_float(neighbour) - std::abs(quotient))) << i << "/" << divisor;
      }
    }
  }
}

TEST(Divide, RoundsBFloat16) {
  std::vector<BFloat16> data = {to_bfloat16(1), to_bfloat16(-10), to_bfloat16(12)};
  divide(data.data(), data.size(), DataType::bfloat16, 3);
  EXPECT_EQ(data[0].bits, 0x3eab);  // 0.333984375, nearer to 1/3 than 0.33203125
  EXPECT_EQ(data[1].bits, 0xc055);  // -3.328125
  EXPECT_EQ(to_float(data[2]), 4);
}

TEST(Divide, TruncatesIntegers) {
  std::vector<std::int32_t> data = {7, -7, 2147483647, 2};
  divide(data.data(), data.size(), DataType::int32, 3);
  EXPECT_EQ(data, (std::vector<std::int32_t>{2, -2, 715827882, 0}));
}

}  // namespace
}  // namespace collbench
