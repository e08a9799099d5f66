// SPDX-License-Identifier: Apache-2.0
#include "base/element.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace collbench {
namespace {

TEST(DataType, RowsStandInTheOrderOfTheirEnumerators) {
  for (std::size_t i = 0; i < kDataTypes.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kDataTypes[i].type), i) << kDataTypes[i].name;
    EXPECT_EQ(parse_data_type(kDataTypes[i].name), kDataTypes[i].type);
  }
}

TEST(Element, HasTheSizeThatItsRowSays) {
  for (const DataTypeRow& row : kDataTypes) {
    const Bytes bytes = visit_element_type(
        row.type, [](auto element) -> Bytes { return sizeof(typename decltype(element)::type); });
    EXPECT_EQ(bytes, row.bytes) << row.name;
  }
}

template <class T>
T of_bits(std::uint64_t bits) {
  T value{};
  std::memcpy(&value, &bits, sizeof value);  // the low bytes come first
  return value;
}

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
class FloatElement : public ::testing::Test {};
using Floats = ::testing::Types<Half, float, double, BFloat16, Float8E4M3, Float8E5M2>;
TYPED_TEST_SUITE(FloatElement, Floats);

TYPED_TEST(FloatElement, RangeIsThatOfItsPatterns) {
  constexpr FloatRange kRange = kFloatRange<TypeParam>;
  const double largest = to_double(of_bits<TypeParam>(kRange.largest_bits));
  EXPECT_EQ(std::ilogb(largest), kRange.max_exponent);
  // The least normal number has the least exponent and no fraction.
  EXPECT_EQ(to_double(of_bits<TypeParam>(1ULL << (kRange.digits - 1))),
            std::ldexp(1.0, kRange.min_exponent));
  EXPECT_EQ(to_double(of_bits<TypeParam>(1)),
            std::ldexp(1.0, kRange.min_exponent - kRange.digits + 1));
}

// Integers up to 2^digits are exact, and the next one is not.
TYPED_TEST(FloatElement, HasSoManyDigits) {
  const double limit = std::ldexp(1.0, kFloatRange<TypeParam>.digits);
  for (const double exact : {limit, limit - 1, 1 - limit}) {
    EXPECT_EQ(to_double(from_double<TypeParam>(exact)), exact);
  }
  if (limit < 0x1p53) {
    EXPECT_EQ(to_double(from_double<TypeParam>(limit + 1)), limit);
  }
}

// Just beside the middle of two neighbours, where rounding to float first would find a tie.
TYPED_TEST(FloatElement, IsRoundedOnce) {
  if (kFloatRange<TypeParam>.digits > 24) return;
  for (int exponent : {-5, 0, 3}) {
    const double unit = std::ldexp(1.0, exponent + 1 - kFloatRange<TypeParam>.digits);
    for (const double below : {std::ldexp(1.0, exponent), std::ldexp(1.0, exponent) + unit}) {
      const double middle = below + unit / 2;
      const double above = below + unit;
      for (const double sign : {1.0, -1.0}) {
        EXPECT_EQ(to_double(from_double<TypeParam>(sign * std::nextafter(middle, 0))),
                  sign * below);
        EXPECT_EQ(to_double(from_double<TypeParam>(sign * std::nextafter(middle, 9e9))),
                  sign * above);
      }
    }
  }
}

TEST(RoundToOdd, KeepsWhatAFloatHoldsAndMarksTheRest) {
  EXPECT_EQ(round_to_odd(1.5), 1.5F);
  EXPECT_EQ(round_to_odd(-0.0), -0.0F);
  EXPECT_EQ(round_to_odd(1 + 0x1p-40), 1 + 0x1p-23F);
  EXPECT_EQ(round_to_odd(-1 - 0x1p-40), -1 - 0x1p-23F);
  EXPECT_EQ(round_to_odd(1 + 0x1.fp-23), 1 + 0x1p-23F);
  EXPECT_EQ(round_to_odd(1e300), std::numeric_limits<float>::max());
  EXPECT_EQ(round_to_odd(std::numeric_limits<double>::infinity()),
            std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(round_to_odd(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(bits_of(from_double<Half>(1e300)), 0x7c00U);
}

}  // namespace
}  // namespace collbench
