// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_arithmetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/element.h"

namespace collbench {
namespace {

template <class Float>
std::vector<Float> all_values() {
  std::vector<Float> values(std::size_t{1} << (8 * sizeof(Float)));
  for (Count i = 0; i < values.size(); ++i) {
    values[i].bits = static_cast<decltype(Float::bits)>(i);
  }
  return values;
}

template <class Float>
class SmallFloatArithmetic : public ::testing::Test {
 protected:
  using Reduction = void (*)(const Float*, Float*, Count);

  // Every value with some, in all positions of a vector unit: rounding, overflow, subnormal
  // results, infinities and NaN.
  template <class Function>
  static void expect_like(Reduction reduction, Function function) {
    const auto in = all_values<Float>();
    for (const double operand : {0.0, 1.0, -1.75, 0.3, -0.00012, 3e4, -3e38, 1e-38, 9e-5}) {
      const auto other = from_double<Float>(operand);
      std::vector<Float> found(in.size(), other);
      reduction(in.data(), found.data(), in.size());
      for (Count i = 0; i < in.size(); ++i) {
        const double exact = function(to_double(in[i]), to_double(other));
        if (std::isnan(exact)) {
          ASSERT_TRUE(std::isnan(to_float(found[i]))) << i << " and " << operand;
        } else {
          ASSERT_EQ(found[i].bits, from_double<Float>(exact).bits) << i << " and " << operand;
        }
      }
    }
  }
};
using Formats = ::testing::Types<Half, BFloat16, Float8E4M3, Float8E5M2>;
TYPED_TEST_SUITE(SmallFloatArithmetic, Formats);

TYPED_TEST(SmallFloatArithmetic, AddsWithOneRounding) {
  this->expect_like(add<TypeParam>, [](double a, double b) { return a + b; });
}

TYPED_TEST(SmallFloatArithmetic, MultipliesWithOneRounding) {
  this->expect_like(multiply<TypeParam>, [](double a, double b) { return a * b; });
}

TYPED_TEST(SmallFloatArithmetic, KeepsTheLargerAndTheSmaller) {
  const auto in = all_values<TypeParam>();
  for (const double other : {0.0, 1.5, -2.0}) {
    std::vector<TypeParam> larger(in.size(), from_double<TypeParam>(other));
    std::vector<TypeParam> smaller = larger;
    keep_larger(in.data(), larger.data(), in.size());
    keep_smaller(in.data(), smaller.data(), in.size());
    for (Count i = 0; i < in.size(); ++i) {
      const double value = to_double(in[i]);
      if (std::isnan(value)) continue;
      ASSERT_EQ(to_double(larger[i]), std::max(value, other)) << i << ", " << other;
      ASSERT_EQ(to_double(smaller[i]), std::min(value, other)) << i << ", " << other;
    }
  }
}

TYPED_TEST(SmallFloatArithmetic, NeverTouchesWhatLiesBehindTheLast) {
  const auto number = [](double value) { return from_double<TypeParam>(value); };
  struct Case {
    void (*reduction)(const TypeParam*, TypeParam*, Count);
    double in, result;
  };
  for (const Case& c : {Case{add<TypeParam>, 1, 3}, Case{multiply<TypeParam>, 3, 6},
                        Case{keep_larger<TypeParam>, 7, 7}, Case{keep_smaller<TypeParam>, 1, 1}}) {
    for (Count count = 0; count < 70; ++count) {
      const std::vector<TypeParam> in(count + 1, number(c.in));
      std::vector<TypeParam> inout(count + 1, number(2));
      c.reduction(in.data(), inout.data(), count);
      for (Count i = 0; i < count; ++i) ASSERT_EQ(to_double(inout[i]), c.result) << i;
      EXPECT_EQ(to_double(inout[count]), 2) << count;
    }
  }
}

template <class Unsigned>
void check_order_of_unsigned() {
  constexpr Unsigned kLargest = std::numeric_limits<Unsigned>::max();
  constexpr Unsigned kHalf = kLargest / 2;
  std::vector<Unsigned> numbers(75);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Unsigned few = static_cast<Unsigned>(i);
    numbers[i] = i % 3 == 0 ? few : static_cast<Unsigned>((i % 3 == 1 ? kLargest : kHalf) - few);
  }
  for (const Unsigned other : {Unsigned{0}, kHalf, kLargest}) {
    std::vector<Unsigned> larger(numbers.size(), other);
    std::vector<Unsigned> smaller = larger;
    keep_larger(numbers.data(), larger.data(), numbers.size());
    keep_smaller(numbers.data(), smaller.data(), numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(larger[i], std::max(numbers[i], other)) << i;
      ASSERT_EQ(smaller[i], std::min(numbers[i], other)) << i;
    }
  }
}

TEST(UnsignedOrder, IsNotThatOfSignedIntegers) {
  check_order_of_unsigned<std::uint8_t>();
  check_order_of_unsigned<std::uint32_t>();
  check_order_of_unsigned<std::uint64_t>();
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

}  // namespace
}  // namespace collbench
