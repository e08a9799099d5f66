// SPDX-License-Identifier: Apache-2.0
// Reading numbers from a command line strictly: the whole text, or a sentence that names the flag.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace collbench {

/// A whole number from `least` to `most`. Throws UserError.
std::uint64_t parse_count(std::string_view text, std::string_view flag, std::uint64_t least,
                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// A finite number of seconds, 0 or more. Throws UserError.
double parse_seconds(std::string_view text, std::string_view flag);

/// 0 or 1, as nccl-tests' flags switch. Throws UserError.
bool parse_switch(std::string_view text, std::string_view flag);

/// A finite number above 0; `unit` is for the message. Throws UserError.
double parse_positive(std::string_view text, std::string_view flag, std::string_view unit);

/// A whole number above 0 with its unit, as 90s, 30m or 2h, in seconds. A number alone is refused:
/// minutes and seconds are both as likely. Throws UserError.
double parse_duration(std::string_view text, std::string_view flag);

}  // namespace collbench
