// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/errors.h"

namespace collbench {
namespace {

constexpr std::string_view kUnitLetters = "KMGT";

// The power of 1024 that a unit stands for, or nothing for a word that is none.
std::optional<int> unit_power(std::string_view unit) {
  if (unit.empty()) return 0;
  const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])));
  std::string rest;
  for (char c : unit.substr(1)) {
    rest += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (letter == 'B' && rest.empty()) return 0;
  const auto position = kUnitLetters.find(letter);
  if (position == std::string_view::npos) return std::nullopt;
  if (rest != "" && rest != "b" && rest != "ib") return std::nullopt;
  return static_cast<int>(position) + 1;
}

}  // namespace

Bytes parse_bytes(std::string_view text, std::string_view flag) {
  const auto refuse = [&](std::string_view why) {
    throw UserError(
        fmt::format("{}: '{}' {}; give a size such as 8, 32M or 1GiB", flag, text, why));
  };
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) refuse("is not a size");
  const auto power = unit_power(text.substr(static_cast<std::size_t>(end - text.data())));
  if (!power) refuse("has an unknown unit");
  const double bytes = number * std::pow(1024.0, *power);
  if (!(bytes >= 0)) refuse("is negative or not a number");
  if (bytes >= 0x1p63) refuse("is too large");
  if (bytes != std::floor(bytes)) refuse("is not a whole number of bytes");
  return static_cast<Bytes>(bytes);
}

std::string format_bytes(Bytes bytes) {
  constexpr std::array<std::string_view, 7> kNames = {"B",   "KiB", "MiB", "GiB",
                                                      "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, kNames[unit]);
}

}  // namespace collbench
