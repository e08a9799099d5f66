// SPDX-License-Identifier: Apache-2.0
#include "comm/gemms.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <set>

#include "base/errors.h"

namespace collbench {
namespace {

TEST(GemmOperands, AreAsLargeAsTheLargestNeeds) {
  const std::array<GemmShape, 3> shapes = {{{2, 3, 100}, {50, 4, 1}, {1, 70, 2}}};
  const GemmOperands operands = operands_for(shapes);
  EXPECT_EQ(operands.a, 200U);
  EXPECT_EQ(operands.b, 300U);
  EXPECT_EQ(operands.c, 200U);
  for (const GemmShape& shape : shapes) EXPECT_TRUE(fits(shape, operands));
  EXPECT_FALSE(fits({3, 1, 100}, operands));
  EXPECT_FALSE(fits({1, 4, 100}, operands));
  EXPECT_FALSE(fits({51, 4, 1}, operands));
}

TEST(GemmOperands, NoShapesNeedNone) { EXPECT_EQ(operands_for({}).a, 0U); }

TEST(GemmOperands, DimensionsPast32BitsAreRefused) {
  const std::array<GemmShape, 1> shapes = {{{1, Count{1} << 31, 1}}};
  EXPECT_THROW(operands_for(shapes), SystemError);
}

TEST(OperandPattern, HasManyNumbersOfBothSignsAndNoneThatGrow) {
  const Pattern pattern = operand_pattern(DataType::float32);
  std::set<float> values;
  for (Count i = 0; i < kPatternValues; ++i) {
    float value = 0;
    std::memcpy(&value, pattern.values.data() + i * sizeof value, sizeof value);
    EXPECT_LE(std::abs(value), 1);
    EXPECT_NE(value, 0);
    values.insert(value);
  }
  EXPECT_GT(values.size(), 100U);
  EXPECT_LT(*values.begin(), -0.9F);
  EXPECT_GT(*values.rbegin(), 0.9F);
}

}  // namespace
}  // namespace collbench
