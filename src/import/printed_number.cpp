// SPDX-License-Identifier: Apache-2.0
#include "import/printed_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace collbench {
namespace {

template <class T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The power of ten that the last digit stands for.
int last_digit(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, e);
  const std::size_t point = digits.find('.');
  const int after_point =
      point == std::string_view::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  std::string_view exponent = e == std::string_view::npos ? "0" : text.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  return parse<int>(exponent).value_or(0) - after_point;
}

}  // namespace

std::optional<PrintedNumber> parse_printed(std::string_view text) {
  if (text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;
  const auto value = parse<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  const double half_unit = 0.5 * std::pow(10.0, last_digit(text));
  if (!std::isfinite(half_unit)) return std::nullopt;
  return PrintedNumber{*value, half_unit};
}

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  return parse<std::uint64_t>(text);
}

std::optional<int> parse_small(std::string_view text) {
  const auto value = parse_whole(text);
  if (!value || *value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*value);
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

}  // namespace collbench
