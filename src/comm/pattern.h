// SPDX-License-Identifier: Apache-2.0
// Pattern: test data that can be made, and checked, anywhere in a tensor without the rest of it.
//
// A pattern is 256 values and one rule: element i of the tensor has value
// (i + scatter(i / 256)) mod 256, so that each tile of 256 elements is a rotation of the table.
// Filling a tile is a copy out of the table and checking one is a comparison with it, both at the
// speed of memory, for every type and operation alike: an operation only changes the table. Data
// that arrives at a wrong place has the wrong rotation or the wrong table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/data_type.h"

namespace collbench {

inline constexpr Count kPatternValues = 256;

struct Pattern {
  DataType type = DataType::float32;
  std::array<std::byte, kPatternValues * 8> values{};  // the first 256 * size_of(type) bytes count
};

/// The rotation of a tile: the top byte of a 64-bit mix of its index (the multiplier is 2^64
/// divided by the golden ratio, made odd; one xor-shift before it and one after).
constexpr std::uint8_t scatter(std::uint64_t tile) {
  tile ^= tile >> 32;
  tile *= 0x9e3779b97f4a7c15ULL;
  tile ^= tile >> 29;
  tile *= 0x9e3779b97f4a7c15ULL;
  return static_cast<std::uint8_t>(tile >> 56);
}

/// Which of the 256 values element `i` of a tensor has.
constexpr std::size_t value_index(Count i) {
  return static_cast<std::size_t>((i + scatter(i / kPatternValues)) % kPatternValues);
}

/// What a check found.
struct CheckResult {
  Count wrong = 0;                      // number of wrong elements
  Count first_wrong = 0;                // index of the first, counted from the checked pointer
  std::array<std::byte, 8> expected{};  // its bytes, size_of(type) of them
  std::array<std::byte, 8> found{};
};

}  // namespace collbench
