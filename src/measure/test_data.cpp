// SPDX-License-Identifier: Apache-2.0
#include "measure/test_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/float16.h"

namespace collbench {
namespace {

// A well-mixed number from three: two rounds of multiply and xor-shift.
std::uint64_t mix(std::uint64_t seed, std::uint64_t rank, std::uint64_t slot) {
  std::uint64_t x = (seed * 0x9e3779b97f4a7c15ULL) ^ (rank << 20) ^ slot;
  for (int round = 0; round < 2; ++round) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
  }
  return x;
}

// How values are drawn so that the sum over ranks stays exact.
struct SumShape {
  std::uint64_t stride;   // every stride-th rank contributes to a value
  std::uint64_t largest;  // contributions are 1 .. largest
};

SumShape sum_shape(const TestDataKey& key) {
  const std::uint64_t limit = row_of(key.type).exact_integers;
  const auto ranks = static_cast<std::uint64_t>(key.ranks);
  constexpr std::uint64_t kLeastChoice = 3;  // a contribution of 1, 2 or 3 can still be told apart
  const std::uint64_t contributors = std::min(ranks, limit / kLeastChoice);
  const std::uint64_t stride = (ranks + contributors - 1) / contributors;
  return {stride, limit / contributors};
}

std::int64_t contribution(const TestDataKey& key, int rank, Count slot) {
  const auto r = static_cast<std::uint64_t>(rank);
  const std::uint64_t random = mix(key.seed, r, slot);
  if (!key.op || key.op == ReduceOp::max) {
    const std::uint64_t limit = row_of(key.type).exact_integers;
    return static_cast<std::int64_t>(random % (2 * limit + 1)) - static_cast<std::int64_t>(limit);
  }
  const SumShape shape = sum_shape(key);
  if ((r + slot) % shape.stride != 0) return 0;
  return static_cast<std::int64_t>(1 + random % shape.largest);
}

// Requires a value that is exact in the type, or a double that rounds to it once.
void store(DataType type, double value, std::byte* to) {
  switch (type) {
    case DataType::float32: {
      const auto f = static_cast<float>(value);
      std::memcpy(to, &f, sizeof f);
      return;
    }
    case DataType::half: {
      const Half h = to_half(static_cast<float>(value));
      std::memcpy(to, &h, sizeof h);
      return;
    }
    case DataType::bfloat16: {
      const BFloat16 b = to_bfloat16(static_cast<float>(value));
      std::memcpy(to, &b, sizeof b);
      return;
    }
    case DataType::int32: {
      const auto i = static_cast<std::int32_t>(value);
      std::memcpy(to, &i, sizeof i);
      return;
    }
  }
}

template <class Value>
Pattern make_pattern(DataType type, Value value) {
  Pattern pattern;
  pattern.type = type;
  for (Count slot = 0; slot < kPatternValues; ++slot) {
    store(type, value(slot), pattern.values.data() + slot * size_of(type));
  }
  return pattern;
}

double reduce(const TestDataKey& key, Count slot) {
  std::int64_t result = contribution(key, 0, slot);
  for (int rank = 1; rank < key.ranks; ++rank) {
    const std::int64_t next = contribution(key, rank, slot);
    result = key.op == ReduceOp::max ? std::max(result, next) : result + next;
  }
  // A quotient of integers this small is never within a double's rounding of a tie of the type, so
  // rounding to double first changes nothing.
  if (key.op == ReduceOp::avg) return static_cast<double>(result) / key.ranks;
  return static_cast<double>(result);
}

}  // namespace

Pattern rank_data(const TestDataKey& key, int rank) {
  return make_pattern(
      key.type, [&](Count slot) { return static_cast<double>(contribution(key, rank, slot)); });
}

Pattern reduced_data(const TestDataKey& key) {
  return make_pattern(key.type, [&](Count slot) { return reduce(key, slot); });
}

std::string show_value(DataType type, const std::byte* bytes) {
  std::uint16_t bits16 = 0;
  std::memcpy(&bits16, bytes, sizeof bits16);
  switch (type) {
    case DataType::float32: {
      float f = 0;
      std::memcpy(&f, bytes, sizeof f);
      return fmt::format("{}", f);
    }
    case DataType::half:
      return fmt::format("{}", to_float(Half{bits16}));
    case DataType::bfloat16:
      return fmt::format("{}", to_float(BFloat16{bits16}));
    case DataType::int32: {
      std::int32_t i = 0;
      std::memcpy(&i, bytes, sizeof i);
      return fmt::format("{}", i);
    }
  }
  return "";
}

}  // namespace collbench
