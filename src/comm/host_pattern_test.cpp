// SPDX-License-Identifier: Apache-2.0
// Filling and checking against the rule of pattern.h, element by element.
#include "comm/host_pattern.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace collbench {
namespace {

constexpr Count kPast32Bits = (1ULL << 33) + 5;

// 256 values of `size` bytes that all differ, in their first byte.
std::vector<std::byte> distinct_values(Bytes size) {
  std::vector<std::byte> values(kPatternValues * size);
  for (Count v = 0; v < kPatternValues; ++v) {
    for (Bytes b = 0; b < size; ++b) {
      values[v * size + b] = static_cast<std::byte>(v + 37 * b);
    }
  }
  return values;
}

// Memory to fill: guarded on both sides, and aligned to nothing when asked.
class Buffer {
 public:
  Buffer(Bytes bytes, Bytes misalignment)
      : storage_(kGuard + misalignment + bytes + kGuard, std::byte{0xee}),
        start_(kGuard + misalignment),
        bytes_(bytes) {}

  std::byte* data() { return storage_.data() + start_; }

  bool guards_stand() const {
    for (std::size_t at = 0; at < storage_.size(); ++at) {
      const bool inside = at >= start_ && at < start_ + bytes_;
      if (!inside && storage_[at] != std::byte{0xee}) return false;
    }
    return true;
  }

 private:
  static constexpr Bytes kGuard = 64;
  std::vector<std::byte> storage_;
  Bytes start_;
  Bytes bytes_;
};

struct Shape {
  Bytes size;
  Count count;
  Count first;
  Bytes misalignment;
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const Bytes size : {1, 2, 4, 8}) {
    for (const Count count : {0, 1, 255, 256, 257, 1000}) {
      for (const Count first : {Count{0}, Count{1}, Count{255}, Count{256}, kPast32Bits}) {
        for (const Bytes misalignment : {0, 3}) all.push_back({size, count, first, misalignment});
      }
    }
  }
  return all;
}

// The index of the first element that is not what value_index says; `count` when all are right.
Count first_off_the_rule(const std::byte* data, const Shape& s, const std::byte* values) {
  for (Count k = 0; k < s.count; ++k) {
    const std::byte* expected = values + value_index(s.first + k) * s.size;
    if (std::memcmp(data + k * s.size, expected, s.size) != 0) return k;
  }
  return s.count;
}

TEST(HostPattern, FillFollowsTheRuleForEveryShape) {
  for (const Shape& s : shapes()) {
    SCOPED_TRACE(fmt::format("size {} count {} first {} misalignment {}", s.size, s.count, s.first,
                             s.misalignment));
    const std::vector<std::byte> values = distinct_values(s.size);
    Buffer buffer(s.count * s.size, s.misalignment);
    fill(buffer.data(), s.count, PatternTable{values.data(), s.size}, s.first);
    EXPECT_EQ(first_off_the_rule(buffer.data(), s, values.data()), s.count);
    EXPECT_TRUE(buffer.guards_stand());
    EXPECT_EQ(check(buffer.data(), s.count, PatternTable{values.data(), s.size}, s.first).wrong, 0);
  }
}

TEST(HostPattern, FillsPastTheCachesByTheSameRule) {
  for (const Bytes misalignment : {0, 1}) {
    const Shape s{4, (16ULL << 20) / 4 + 77, 3, misalignment};
    const std::vector<std::byte> values = distinct_values(s.size);
    Buffer buffer(s.count * s.size, s.misalignment);
    fill(buffer.data(), s.count, PatternTable{values.data(), s.size}, s.first);
    EXPECT_EQ(first_off_the_rule(buffer.data(), s, values.data()), s.count);
    EXPECT_TRUE(buffer.guards_stand());
  }
}

TEST(HostPattern, PatternsUseTheirTypesSize) {
  for (const DataTypeRow& row : kDataTypes) {
    Pattern pattern{row.type, {}};
    const std::vector<std::byte> values = distinct_values(row.bytes);
    std::memcpy(pattern.values.data(), values.data(), values.size());
    std::vector<std::byte> data(600 * row.bytes);
    fill(data.data(), 600, pattern, 7);
    EXPECT_EQ(first_off_the_rule(data.data(), {row.bytes, 600, 7, 0}, values.data()), 600)
        << row.name;
    EXPECT_EQ(check(data.data(), 600, pattern, 7).wrong, 0) << row.name;
    EXPECT_GT(check(data.data(), 600, pattern, 8).wrong, 0) << row.name;
  }
}

// One wrong element anywhere is found, with its index, what was there and what should be.
TEST(HostPattern, CheckNamesTheWrongElement) {
  constexpr Count kCount = 700;
  for (const Bytes size : {1, 2, 4, 8}) {
    const std::vector<std::byte> values = distinct_values(size);
    const PatternTable table{values.data(), size};
    for (const Count at : {0, 1, 200, 255, 256, 511, 512, 699}) {
      SCOPED_TRACE(fmt::format("size {} element {}", size, at));
      std::vector<std::byte> data(kCount * size);
      fill(data.data(), kCount, table, kPast32Bits);
      std::array<std::byte, 8> expected{};
      std::memcpy(expected.data(), data.data() + at * size, size);
      data[at * size + size - 1] ^= std::byte{0x80};
      std::array<std::byte, 8> found{};
      std::memcpy(found.data(), data.data() + at * size, size);

      const CheckResult result = check(data.data(), kCount, table, kPast32Bits);
      EXPECT_EQ(result.wrong, 1);
      EXPECT_EQ(result.first_wrong, at);
      EXPECT_EQ(result.expected, expected);
      EXPECT_EQ(result.found, found);
    }
  }
}

TEST(HostPattern, CheckCountsAllWrongElementsAndKeepsTheFirst) {
  const std::vector<std::byte> values = distinct_values(4);
  const PatternTable table{values.data(), 4};
  std::vector<std::byte> data(2000 * 4);
  fill(data.data(), 2000, table, 0);
  for (const Count at : {300, 301, 800, 1999}) data[at * 4] ^= std::byte{1};
  const CheckResult result = check(data.data(), 2000, table, 0);
  EXPECT_EQ(result.wrong, 4);
  EXPECT_EQ(result.first_wrong, 300);
}

std::vector<std::byte> filled_tiles(Count tiles, PatternTable table) {
  std::vector<std::byte> data(tiles * kPatternValues * table.element_bytes);
  fill(data.data(), tiles * kPatternValues, table, 0);
  return data;
}

TEST(HostPattern, CheckSeesDataShiftedByAnyDistance) {
  const std::vector<std::byte> values = distinct_values(4);
  const PatternTable table{values.data(), 4};
  const std::vector<std::byte> data = filled_tiles(16, table);
  constexpr Count kCount = 8 * kPatternValues;
  for (Count shift = 1; shift <= kPatternValues * 8; ++shift) {
    EXPECT_GT(check(data.data() + shift * 4, kCount, table, 0).wrong, 0) << shift;
  }
}

TEST(HostPattern, CheckSeesTwoTilesSwapped) {
  const std::vector<std::byte> values = distinct_values(4);
  const PatternTable table{values.data(), 4};
  std::vector<std::byte> data = filled_tiles(8, table);
  constexpr Bytes kTile = kPatternValues * 4;
  std::swap_ranges(data.data() + 2 * kTile, data.data() + 3 * kTile, data.data() + 5 * kTile);
  const CheckResult result = check(data.data(), 8 * kPatternValues, table, 0);
  EXPECT_EQ(result.wrong, 2 * kPatternValues);
  EXPECT_EQ(result.first_wrong, 2 * kPatternValues);
}

}  // namespace
}  // namespace collbench
