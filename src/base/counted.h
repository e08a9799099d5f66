// SPDX-License-Identifier: Apache-2.0
// Numbers of things in sentences.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace collbench {

/// "1 rank", "2 ranks". The noun takes an s.
template <class Number>
std::string counted(Number number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace collbench
