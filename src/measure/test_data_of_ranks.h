// SPDX-License-Identifier: Apache-2.0
// For tests: the data of all ranks, and what becomes of them in some order of reduction.
#pragma once

#include <cstring>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/element.h"
#include "measure/test_arithmetic.h"
#include "measure/test_data.h"

namespace collbench {

template <class T>
T element(const Pattern& pattern, Count slot) {
  T value{};
  std::memcpy(&value, pattern.values.data() + slot * sizeof value, sizeof value);
  return value;
}

// Two of what is left, over and over: any order and any tree.
template <class T>
T reduce_in_some_order(ReduceOp op, std::vector<T> values, std::mt19937& random) {
  while (values.size() > 1) {
    std::swap(values[random() % values.size()], values.back());
    const T one = values.back();
    values.pop_back();
    T& other = values[random() % values.size()];
    other = combine_in_type(op, other, one);
  }
  return values.front();
}

// Bit by bit: 0 is not -0.
template <class T>
bool is_same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// The data of all ranks of one type.
template <class T>
class AllRanks {
 public:
  explicit AllRanks(const TestDataKey& key) : key_(key) {
    for (int rank = 0; rank < key.ranks; ++rank) data_.push_back(rank_data(key, rank));
  }

  // What goes into the reduction of a slot, without one rank if wanted.
  std::vector<T> inputs(Count slot, std::optional<int> missing = std::nullopt) const {
    std::vector<T> values;
    for (int rank = 0; rank < key_.ranks; ++rank) {
      if (rank == missing) continue;
      const T value = of(rank, slot);
      const bool scaled = key_.op == ReduceOp::mulsum;
      values.push_back(scaled ? scale_in_type(value, mulsum_scalar(rank)) : value);
    }
    return values;
  }

  T of(int rank, Count slot) const {
    return element<T>(data_[static_cast<std::size_t>(rank)], slot);
  }

  // False where the result is the same without this value: of a slot with many ranks it is cheap to
  // ask, and the result without the rank is not.
  bool may_decide(const T& value, const T& result) const {
    switch (*key_.op) {
      case ReduceOp::sum:
      case ReduceOp::avg:
      case ReduceOp::mulsum:
        return !is_same(value, T{});
      case ReduceOp::prod:
        return !is_same(value, one<T>());
      case ReduceOp::max:
      case ReduceOp::min:
        return is_same(value, result);
    }
    return true;
  }

  T reduced(std::vector<T> values, std::mt19937& random) const {
    const T result = reduce_in_some_order(*key_.op, std::move(values), random);
    return key_.op == ReduceOp::avg ? divide_in_type(result, key_.ranks) : result;
  }

 private:
  TestDataKey key_;
  std::vector<Pattern> data_;
};

}  // namespace collbench
