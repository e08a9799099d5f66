// SPDX-License-Identifier: Apache-2.0
// Filling and checking host memory with a Pattern, at the speed of memory.
//
// Memory need not be aligned to the element: all access is by bytes.
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "comm/pattern.h"

namespace collbench {

/// The 256 values of a pattern as bytes, whatever their type: what fill and check work on.
struct PatternTable {
  const std::byte* values;
  Bytes element_bytes;  // 1 to 8
};

inline PatternTable table_of(const Pattern& pattern) {
  return {pattern.values.data(), size_of(pattern.type)};
}

/// Writes elements first .. first + count - 1 of the pattern's tensor to `data`.
void fill(void* data, Count count, PatternTable table, Count first);
inline void fill(void* data, Count count, const Pattern& pattern, Count first) {
  fill(data, count, table_of(pattern), first);
}

/// Compares `data` with what fill would write, bit by bit.
CheckResult check(const void* data, Count count, PatternTable table, Count first);
inline CheckResult check(const void* data, Count count, const Pattern& pattern, Count first) {
  return check(data, count, table_of(pattern), first);
}

/// Adds what was found in a slice that begins at element `begin`; slices come in their order.
void add_slice(const CheckResult& found, Count begin, CheckResult& all);

}  // namespace collbench
