// SPDX-License-Identifier: Apache-2.0
#include "measure/test_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "measure/test_data_of_ranks.h"

namespace collbench {
namespace {

class TestData : public ::testing::TestWithParam<DataTypeRow> {
 protected:
  template <class Test>
  void for_type(Test test) const {
    visit_element_type(GetParam().type, test);
  }

  static std::string what(const TestDataKey& key) {
    return fmt::format("{} {}, {} ranks, seed {}", name_of(key.type), name_of(*key.op), key.ranks,
                       key.seed);
  }

  std::mt19937 random_{3};
};

TEST_P(TestData, ResultsAreExactInAnyOrder) {
  for_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const ReduceOpRow& op : kReduceOps) {
      for (const int ranks : {1, 2, 3, 8, 64, 257, 1000, 4096}) {
        const TestDataKey key{GetParam().type, op.op, ranks, 11};
        const AllRanks<T> data(key);
        const Pattern expected = reduced_data(key);
        for (Count slot = 0; slot<kPatternValues; slot += ranks> 300 ? 37 : 5) {
          const T found = data.reduced(data.inputs(slot), random_);
          const T wanted = element<T>(expected, slot);
          ASSERT_TRUE(is_same(found, wanted)) << what(key) << ", slot " << slot;
        }
      }
    }
  });
}

// Whether the result would be another one without the rank.
template <class T>
bool matters(const AllRanks<T>& data, const Pattern& expected, int rank, std::mt19937& random) {
  for (Count slot = 0; slot < kPatternValues; ++slot) {
    const T with = element<T>(expected, slot);
    if (!data.may_decide(data.of(rank, slot), with)) continue;
    const T without = data.reduced(data.inputs(slot, rank), random);
    if (!is_same(without, with)) return true;
  }
  return false;
}

struct Matters {
  std::vector<ReduceOp> ops;
  std::vector<int> ranks;
};

TEST_P(TestData, EveryRankMatters) {
  // A slot has one maximum, and an average of more ranks than the type has integers is 0.
  const std::vector<Matters> cases = {
      {{ReduceOp::sum, ReduceOp::prod, ReduceOp::mulsum}, {2, 3, 64, 1000, 4096}},
      {{ReduceOp::max, ReduceOp::min}, {2, 3, 64, 256}},
      {{ReduceOp::avg}, {2, 3, 64, 127}},
  };
  for_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const Matters& c : cases) {
      for (const ReduceOp op : c.ops) {
        for (const int ranks : c.ranks) {
          const TestDataKey key{GetParam().type, op, ranks, 5};
          const AllRanks<T> data(key);
          const Pattern expected = reduced_data(key);
          for (int rank = 0; rank<ranks; rank += ranks> 300 ? ranks / 13 : 1) {
            ASSERT_TRUE(matters(data, expected, rank, random_)) << what(key) << ", rank " << rank;
          }
        }
      }
    }
  });
}

// Where 256 values have no room for all ranks, each has its turn.
TEST_P(TestData, OverSeveralSeedsEveryRankDecidesMaxima) {
  for_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int kRanks = 600;
    for (const int rank : {0, 255, 256, 511, 512, 599}) {
      int seeds = 0;
      for (std::uint64_t seed = 40; seed < 43; ++seed) {
        const TestDataKey key{GetParam().type, ReduceOp::max, kRanks, seed};
        const Pattern mine = rank_data(key, rank);
        const Pattern expected = reduced_data(key);
        bool decides = false;
        for (Count slot = 0; slot < kPatternValues && !decides; ++slot) {
          const T value = element<T>(mine, slot);
          const T largest = element<T>(expected, slot);
          decides = is_same(value, largest);
        }
        seeds += decides;
      }
      EXPECT_GE(seeds, 1) << "rank " << rank;
    }
  });
}

TEST_P(TestData, DifferFromRankToRankAndFromSeedToSeed) {
  std::vector<std::optional<ReduceOp>> ops = {std::nullopt};
  for (const ReduceOpRow& op : kReduceOps) ops.emplace_back(op.op);
  for (const auto& op : ops) {
    const TestDataKey key{GetParam().type, op, 4, 1};
    const TestDataKey other{GetParam().type, op, 4, 2};
    EXPECT_NE(rank_data(key, 0).values, rank_data(key, 1).values);
    EXPECT_NE(rank_data(key, 0).values, rank_data(other, 0).values);
    if (!op) continue;
    EXPECT_NE(reduced_data(key).values, reduced_data(other).values) << what(key);
  }
}

// Every bit of the type is 0 somewhere and 1 somewhere, where data only moves or is compared.
TEST_P(TestData, SpanTheTypesRange) {
  for (const std::optional<ReduceOp> op :
       {std::optional<ReduceOp>{}, std::optional{ReduceOp::max}, std::optional{ReduceOp::min}}) {
    const Pattern data = rank_data({GetParam().type, op, 2, 9}, 1);
    std::uint64_t ones = 0;
    std::uint64_t zeros = 0;
    for (Count slot = 0; slot < kPatternValues; ++slot) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, data.values.data() + slot * GetParam().bytes, GetParam().bytes);
      ones |= bits;
      zeros |= ~bits;
    }
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * GetParam().bytes);
    EXPECT_EQ(ones, all);
    EXPECT_EQ(zeros & all, all);
  }
}

TEST_P(TestData, AreFiniteNumbers) {
  for_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!kIsInteger<T>) {
      for (int rank = 0; rank < 40; ++rank) {
        const Pattern data = rank_data({GetParam().type, std::nullopt, 40, 1}, rank);
        for (Count slot = 0; slot < kPatternValues; ++slot) {
          ASSERT_TRUE(std::isfinite(to_double(element<T>(data, slot))));
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, TestData, ::testing::ValuesIn(kDataTypes),
                         [](const auto& row) { return std::string(row.param.name); });

// Sums use all digits that the type has, which would not survive a double.
TEST(TestDataOfLongIntegers, UseTheirLastDigits) {
  for (const DataType type : {DataType::int64, DataType::uint64}) {
    const Pattern sums = reduced_data({type, ReduceOp::sum, 3, 2});
    bool beyond_double = false;
    for (Count slot = 0; slot < kPatternValues; ++slot) {
      const auto sum = element<std::int64_t>(sums, slot);
      beyond_double |= std::abs(sum) > (1LL << 60) && sum % 2 != 0;
    }
    EXPECT_TRUE(beyond_double) << name_of(type);
  }
}

TEST(TestDataOfIntegers, AveragesAreRoundedTowardsZero) {
  const TestDataKey key{DataType::int32, ReduceOp::avg, 3, 1};
  const Pattern expected = reduced_data(key);
  int inexact_negative = 0;
  for (Count slot = 0; slot < kPatternValues; ++slot) {
    std::int64_t sum = 0;
    for (const int rank : {0, 1, 2}) sum += element<std::int32_t>(rank_data(key, rank), slot);
    inexact_negative += sum < 0 && sum % 3 != 0;
    ASSERT_EQ(element<std::int32_t>(expected, slot), sum / 3);
  }
  EXPECT_GT(inexact_negative, 0);
}

TEST(ShowValue, PrintsNumbersOfEveryType) {
  const auto show = [](DataType type, auto value) {
    std::array<std::byte, 8> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    return show_value(type, bytes.data());
  };
  EXPECT_EQ(show(DataType::int8, std::int8_t{-128}), "-128");
  EXPECT_EQ(show(DataType::uint8, std::uint8_t{65}), "65");
  EXPECT_EQ(show(DataType::int32, std::int32_t{-2147483647}), "-2147483647");
  EXPECT_EQ(show(DataType::uint32, std::uint32_t{4294967295U}), "4294967295");
  EXPECT_EQ(show(DataType::int64, std::int64_t{-9223372036854775807}), "-9223372036854775807");
  EXPECT_EQ(show(DataType::uint64, ~std::uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(show(DataType::half, to_half(-1.5F)), "-1.5");
  EXPECT_EQ(show(DataType::float32, 0.1F), "0.1");
  EXPECT_EQ(show(DataType::float64, 0.1), "0.1");
  EXPECT_EQ(show(DataType::bfloat16, to_bfloat16(3)), "3");
  EXPECT_EQ(show(DataType::f8e4m3, Float8E4M3{0x7e}), "448");
  EXPECT_EQ(show(DataType::f8e5m2, Float8E5M2{0x7d}), "nan");
}

}  // namespace
}  // namespace collbench
