// SPDX-License-Identifier: Apache-2.0
#include "replay/terms.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <stdexcept>

#include "base/element.h"
#include "measure/test_data_of_ranks.h"

namespace collbench::replay {
namespace {

using Indices = std::vector<TermIndex>;

Indices fresh(Terms& terms, DataType type, int count) {
  Indices all;
  for (int i = 0; i < count; ++i) all.push_back(terms.fresh(type, static_cast<std::uint64_t>(i)));
  return all;
}

// In any order and any tree, rounded after every step as the type does.
void expect_exact(Terms& terms, const Indices& parts, TermIndex sum, DataType type) {
  std::mt19937 random(1);
  visit_element_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (Count slot = 0; slot < kPatternValues; ++slot) {
      std::vector<T> values;
      for (const TermIndex part : parts) values.push_back(element<T>(*terms.pattern(part), slot));
      const T found = reduce_in_some_order(ReduceOp::sum, values, random);
      ASSERT_TRUE(is_same(found, element<T>(*terms.pattern(sum), slot))) << slot;
    }
  });
}

TEST(Terms, SumsOfEveryTypeAreExact) {
  for (const DataTypeRow& row : kDataTypes) {
    for (const int count : {2, 3, 64, 300}) {
      Terms terms;
      const Indices parts = fresh(terms, row.type, count);
      const TermIndex sum = terms.reduced(ReduceOp::sum, row.type, parts);
      terms.settle();
      expect_exact(terms, parts, sum, row.type);
    }
  }
}

// They are those of a tensor's first elements, and the rest of the tile is 0.
TEST(Terms, NumbersThatAreGiven) {
  Terms terms;
  const Indices parts = {terms.given(DataType::int64, {5, 0, -7}),
                         terms.given(DataType::int64, {1LL << 40})};
  EXPECT_THROW(terms.given(DataType::int64, {}), std::logic_error);
  EXPECT_THROW(terms.given(DataType::int64, std::vector<std::int64_t>(257)), std::logic_error);
  terms.settle();
  const auto at = [&](TermIndex term, Count i) {
    return element<std::int64_t>(*terms.pattern(term), value_index(i));
  };
  EXPECT_EQ(at(parts[0], 0), 5);
  EXPECT_EQ(at(parts[0], 1), 0);
  EXPECT_EQ(at(parts[0], 2), -7);
  EXPECT_EQ(at(parts[0], 3), 0);
  EXPECT_EQ(at(parts[1], 0), 1LL << 40);
}

// What is missing, doubled or of another key must change the sum somewhere.
TEST(Terms, EveryPartMatters) {
  for (const DataType type : {DataType::bfloat16, DataType::float32, DataType::int8}) {
    for (const int count : {2, 64, 1000}) {
      Terms terms;
      const Indices parts = fresh(terms, type, count);
      terms.reduced(ReduceOp::sum, type, parts);
      terms.settle();
      const std::array<std::byte, kPatternValues * 8> zero{};
      std::set<std::vector<std::byte>> different;
      for (const TermIndex part : parts) {
        const auto& values = terms.pattern(part)->values;
        EXPECT_NE(values, zero);
        different.insert({values.begin(), values.end()});
      }
      EXPECT_EQ(different.size(), parts.size()) << name_of(type) << " " << count;
    }
  }
}

// Replicas of shards: each sum is small enough for the sums that it goes into.
TEST(Terms, SumsOfSumsAreExact) {
  Terms terms;
  Indices all, shards;
  for (int replica = 0; replica < 8; ++replica) {
    Indices parts;
    for (int rank = 0; rank < 8; ++rank) {
      parts.push_back(terms.fresh(DataType::bfloat16, static_cast<std::uint64_t>(all.size())));
      all.push_back(parts.back());
    }
    shards.push_back(terms.reduced(ReduceOp::sum, DataType::bfloat16, parts));
  }
  const TermIndex sum = terms.reduced(ReduceOp::sum, DataType::bfloat16, shards);
  terms.settle();
  expect_exact(terms, all, sum, DataType::bfloat16);
  expect_exact(terms, shards, sum, DataType::bfloat16);
}

TEST(Terms, MaximaAndMinima) {
  Terms terms;
  const Indices parts = fresh(terms, DataType::int32, 4);
  const TermIndex most = terms.reduced(ReduceOp::max, DataType::int32, parts);
  const TermIndex least = terms.reduced(ReduceOp::min, DataType::int32, parts);
  const TermIndex twice = terms.reduced(ReduceOp::sum, DataType::int32, {most, most});
  terms.settle();
  for (Count slot = 0; slot < kPatternValues; ++slot) {
    std::int32_t largest = INT32_MIN, smallest = INT32_MAX;
    for (const TermIndex part : parts) {
      largest = std::max(largest, element<std::int32_t>(*terms.pattern(part), slot));
      smallest = std::min(smallest, element<std::int32_t>(*terms.pattern(part), slot));
    }
    EXPECT_EQ(element<std::int32_t>(*terms.pattern(most), slot), largest);
    EXPECT_EQ(element<std::int32_t>(*terms.pattern(least), slot), smallest);
    EXPECT_EQ(element<std::int32_t>(*terms.pattern(twice), slot), 2 * largest);
  }
}

TEST(Terms, OneObjectForOneTerm) {
  Terms terms;
  const TermIndex term = terms.fresh(DataType::half, 1);
  terms.settle();
  EXPECT_EQ(terms.pattern(term), terms.pattern(term));
  EXPECT_EQ(terms.pattern(term)->type, DataType::half);
}

TEST(Terms, WhatIsRefused) {
  Terms terms;
  const TermIndex a = terms.fresh(DataType::half, 1), b = terms.fresh(DataType::float32, 2);
  EXPECT_THROW(terms.reduced(ReduceOp::sum, DataType::half, {a, b}), std::logic_error);
  EXPECT_THROW(terms.reduced(ReduceOp::avg, DataType::half, {a, a}), std::logic_error);
  TermIndex sum = a;
  for (int i = 0; i < 12; ++i) sum = terms.reduced(ReduceOp::sum, DataType::half, {sum, sum});
  terms.settle();
  EXPECT_THROW(terms.pattern(sum), std::logic_error);  // 2^12 times what is at least 1
}

}  // namespace
}  // namespace collbench::replay
