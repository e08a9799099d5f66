// SPDX-License-Identifier: Apache-2.0
// PrintedNumber: a number as a program printed it, which is rounded, and by how much.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace collbench {

struct PrintedNumber {
  double value = 0;
  double half_unit = 0;  // of the last digit: the number meant is at most so far off

  double low() const { return value - half_unit; }
  double high() const { return value + half_unit; }

  bool operator==(const PrintedNumber&) const = default;
};

/// "285.21", "1.2e+03"; nothing for any other text, infinity and NaN included.
std::optional<PrintedNumber> parse_printed(std::string_view text);

/// Decimal digits only; nothing for any other text, and for 2^64 or more.
std::optional<std::uint64_t> parse_whole(std::string_view text);

/// The same, below 2^31.
std::optional<int> parse_small(std::string_view text);

/// The words between blanks.
std::vector<std::string_view> words_of(std::string_view line);

}  // namespace collbench
