// SPDX-License-Identifier: Apache-2.0
// What a row of IMB's tables says: times over ranks, and of how many repetitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/log_lines.h"
#include "import/printed_number.h"

namespace collbench {

/// Microseconds.
struct ImbTimes {
  std::optional<PrintedNumber> min, mean;
  PrintedNumber max;
};

/// Of a row with as many words as its table has columns. Throws UserError where there are none, or
/// their order is impossible.
ImbTimes imb_times(const LogLine& line, const std::vector<std::string_view>& words,
                   const std::vector<std::string>& columns);

/// Throws UserError for none.
std::uint64_t imb_repetitions(const LogLine& line, const std::vector<std::string_view>& words);

}  // namespace collbench
