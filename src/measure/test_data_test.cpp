// SPDX-License-Identifier: Apache-2.0
#include "measure/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <set>

#include "base/float16.h"

namespace collbench {
namespace {

double value_at(const Pattern& pattern, Count slot) {
  const std::byte* at = pattern.values.data() + slot * size_of(pattern.type);
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, 2);
  switch (pattern.type) {
    case DataType::float32: {
      float f = 0;
      std::memcpy(&f, at, 4);
      return static_cast<double>(f);
    }
    case DataType::half:
      return static_cast<double>(to_float(Half{bits}));
    case DataType::bfloat16:
      return static_cast<double>(to_float(BFloat16{bits}));
    case DataType::int32: {
      std::int32_t i = 0;
      std::memcpy(&i, at, 4);
      return i;
    }
  }
  return 0;
}

// Addition as a device of the type does it: rounded after every step.
double rounded(DataType type, double value) {
  switch (type) {
    case DataType::float32:
      return static_cast<double>(static_cast<float>(value));
    case DataType::half:
      return static_cast<double>(to_float(to_half(static_cast<float>(value))));
    case DataType::bfloat16:
      return static_cast<double>(to_float(to_bfloat16(static_cast<float>(value))));
    case DataType::int32:
      return value;
  }
  return 0;
}

TEST(TestData, SumsAreExactInAnyOrderForAnyNumberOfRanks) {
  std::mt19937 random(3);
  for (const DataTypeRow& row : kDataTypes) {
    for (const int ranks : {1, 2, 3, 8, 64, 257, 1000}) {
      const TestDataKey key{row.type, ReduceOp::sum, ranks, 11};
      std::vector<Pattern> data;
      for (int rank = 0; rank < ranks; ++rank) data.push_back(rank_data(key, rank));
      const Pattern expected = reduced_data(key);
      std::vector<int> order(static_cast<std::size_t>(ranks));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      for (Count slot = 0; slot < kPatternValues; slot += 37) {
        double sum = 0;
        for (const int rank : order) {
          sum = rounded(row.type, sum + value_at(data[static_cast<std::size_t>(rank)], slot));
        }
        ASSERT_EQ(sum, value_at(expected, slot)) << row.name << " " << ranks << " ranks";
      }
    }
  }
}

TEST(TestData, EveryRankMatters) {
  for (const DataTypeRow& row : kDataTypes) {
    const TestDataKey key{row.type, ReduceOp::sum, 1000, 5};
    for (int rank = 0; rank < 1000; rank += 111) {
      const Pattern data = rank_data(key, rank);
      int contributions = 0;
      for (Count slot = 0; slot < kPatternValues; ++slot)
        contributions += value_at(data, slot) != 0;
      EXPECT_GE(contributions, 10) << row.name << " rank " << rank;
    }
  }
}

TEST(TestData, MaximumIsTheLargestContribution) {
  const TestDataKey key{DataType::half, ReduceOp::max, 3, 1};
  const Pattern expected = reduced_data(key);
  for (Count slot = 0; slot < kPatternValues; ++slot) {
    double largest = value_at(rank_data(key, 0), slot);
    for (const int rank : {1, 2}) largest = std::max(largest, value_at(rank_data(key, rank), slot));
    ASSERT_EQ(value_at(expected, slot), largest);
  }
}

TEST(TestData, AverageIsTheRoundedQuotientOfTheSum) {
  for (const DataTypeRow& row : kDataTypes) {
    const Pattern sum = reduced_data({row.type, ReduceOp::avg, 3, 1});
    const TestDataKey key{row.type, ReduceOp::avg, 3, 1};
    double total = 0;
    for (const int rank : {0, 1, 2}) total += value_at(rank_data(key, rank), 9);
    const double quotient =
        row.type == DataType::int32 ? std::trunc(total / 3) : rounded(row.type, total / 3);
    EXPECT_EQ(value_at(sum, 9), quotient) << row.name;
  }
}

TEST(TestData, RanksAndSeedsDiffer) {
  const TestDataKey key{DataType::float32, ReduceOp::sum, 4, 1};
  TestDataKey other = key;
  other.seed = 2;
  EXPECT_NE(rank_data(key, 0).values, rank_data(key, 1).values);
  EXPECT_NE(rank_data(key, 0).values, rank_data(other, 0).values);
}

TEST(ShowValue, PrintsNumbers) {
  const Pattern data = rank_data({DataType::int32, ReduceOp::sum, 1, 1}, 0);
  EXPECT_EQ(show_value(DataType::int32, data.values.data()),
            std::to_string(static_cast<long>(value_at(data, 0))));
}

}  // namespace
}  // namespace collbench
