// SPDX-License-Identifier: Apache-2.0
#include "cli/numbers.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/errors.h"

namespace collbench {
namespace {

template <class Number>
bool read_whole(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end;
}

}  // namespace

std::uint64_t parse_count(std::string_view text, std::string_view flag, std::uint64_t least,
                          std::uint64_t most) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool too_large = error == std::errc::result_out_of_range;  // and number is still 0
  if (stop != end || (error != std::errc{} && !too_large) || (!too_large && number < least)) {
    throw UserError(
        fmt::format("{}: '{}' is not a whole number of at least {}", flag, text, least));
  }
  if (too_large || number > most) {
    throw UserError(fmt::format("{}: {} is more than {}, the most there may be", flag, text, most));
  }
  return number;
}

bool parse_switch(std::string_view text, std::string_view flag) {
  if (text != "0" && text != "1") {
    throw UserError(fmt::format("{}: '{}' is neither 0 nor 1", flag, text));
  }
  return text == "1";
}

double parse_positive(std::string_view text, std::string_view flag, std::string_view unit) {
  double number = 0;
  if (!read_whole(text, number) || !std::isfinite(number) || number <= 0) {
    throw UserError(fmt::format("{}: '{}' is not a positive number of {}", flag, text, unit));
  }
  return number;
}

double parse_seconds(std::string_view text, std::string_view flag) {
  double number = 0;
  if (!read_whole(text, number) || !std::isfinite(number) || number < 0) {
    throw UserError(fmt::format("{}: '{}' is not a number of seconds, 0 or more", flag, text));
  }
  return number;
}

double parse_duration(std::string_view text, std::string_view flag) {
  constexpr std::string_view kUnits = "smh";
  constexpr std::uint64_t kMost = 1'000'000;  // hours: more than a century, and far from overflow
  const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  std::uint64_t number = 0;
  if (unit == kUnits.npos || !read_whole(text.substr(0, text.size() - 1), number) || number == 0 ||
      number > kMost) {
    throw UserError(fmt::format(
        "{}: '{}' is no time of 1 to {} seconds, minutes or hours; give it with its unit, as 90s, "
        "30m or 2h",
        flag, text, kMost));
  }
  constexpr std::array<double, kUnits.size()> kSeconds = {1, 60, 3600};
  return kSeconds.at(unit) * static_cast<double>(number);
}

}  // namespace collbench
