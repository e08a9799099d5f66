// SPDX-License-Identifier: Apache-2.0
#include "measure/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>

#include "base/errors.h"

namespace collbench {
namespace {

struct OperatorRow {
  GroupOperator op;
  std::string_view name;
  std::string_view sign;
};

constexpr std::array<OperatorRow, 4> kOperators = {{
    {GroupOperator::bit_and, "AND", "&"},
    {GroupOperator::bit_or, "OR", "|"},
    {GroupOperator::modulo, "MOD", "%"},
    {GroupOperator::divide, "DIV", "/"},
}};

constexpr std::uint64_t kLargestColor = std::numeric_limits<int>::max();

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
           return a == std::toupper(static_cast<unsigned char>(b));
         });
}

// Digits to the base, all of them.
std::optional<std::uint64_t> parse_digits(std::string_view digits, int base) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  if (starts_with_word(text, "0X")) return parse_digits(text.substr(2), 16);
  if (starts_with_word(text, "0B")) return parse_digits(text.substr(2), 2);
  return parse_digits(text, 10);
}

struct SplitText {
  GroupOperator op;
  std::string_view number;
};

SplitText split_operator(std::string_view text, std::string_view source) {
  for (const OperatorRow& row : kOperators) {
    for (const std::string_view word : {row.name, row.sign}) {
      if (starts_with_word(text, word)) return {row.op, trimmed(text.substr(word.size()))};
    }
  }
  throw UserError(
      fmt::format("{}: '{}' begins with none of AND, OR, MOD, DIV, &, |, %, /; give one and a "
                  "number, such as MOD 2",
                  source, text));
}

}  // namespace

int GroupRule::color_of(int rank) const {
  const auto r = static_cast<std::uint64_t>(rank);
  switch (op) {
    case GroupOperator::bit_and:
      return static_cast<int>(r & number);
    case GroupOperator::bit_or:
      return static_cast<int>(r | number);
    case GroupOperator::modulo:
      return static_cast<int>(r % number);
    case GroupOperator::divide:
      return static_cast<int>(r / number);
  }
  return 0;
}

GroupRule parse_group_rule(std::string_view text, std::string_view source) {
  const SplitText split = split_operator(trimmed(text), source);
  const std::optional<std::uint64_t> number = parse_number(split.number);
  if (!number) {
    throw UserError(
        fmt::format("{}: '{}' is no number; give one such as 4, 0x4 or 0b100 after the operator",
                    source, split.number));
  }
  const GroupRule rule = {split.op, *number};
  const bool divides = rule.op == GroupOperator::modulo || rule.op == GroupOperator::divide;
  if (divides && rule.number == 0) {
    throw UserError(fmt::format("{}: {} divides by zero; give at least 1", source, to_text(rule)));
  }
  if (rule.op == GroupOperator::bit_or && rule.number > kLargestColor) {
    throw UserError(
        fmt::format("{}: {} is too large; give at most {}", source, to_text(rule), kLargestColor));
  }
  return rule;
}

GroupRule parse_group_mask(std::string_view text, std::string_view source) {
  std::string_view digits = trimmed(text);
  if (starts_with_word(digits, "0X")) digits.remove_prefix(2);
  const std::optional<std::uint64_t> number = parse_digits(digits, 16);
  if (!number) {
    throw UserError(
        fmt::format("{}: '{}' is no hexadecimal number; give one such as 0x7", source, text));
  }
  return {GroupOperator::bit_and, *number};
}

std::optional<GroupRule> group_rule(const std::optional<std::string>& split_flag,
                                    const ReadEnvironment& read) {
  constexpr const char* kMask = "NCCL_TESTS_SPLIT_MASK";
  constexpr const char* kSplit = "NCCL_TESTS_SPLIT";
  const auto value = [&](const char* name) {
    const char* const text = read(name);
    return std::string_view(text == nullptr ? "" : text);
  };
  if (split_flag) return parse_group_rule(*split_flag, "--split");
  if (!value(kMask).empty()) return parse_group_mask(value(kMask), kMask);
  if (!value(kSplit).empty()) return parse_group_rule(value(kSplit), kSplit);
  return std::nullopt;
}

std::string to_text(const GroupRule& rule) {
  return fmt::format("{} {}", kOperators[static_cast<std::size_t>(rule.op)].name, rule.number);
}

Groups make_groups(const std::optional<GroupRule>& rule, int ranks) {
  std::map<int, std::vector<int>> by_color;
  for (int rank = 0; rank < ranks; ++rank) {
    by_color[rule ? rule->color_of(rank) : 0].push_back(rank);
  }
  Groups groups;
  groups.group_of_rank.resize(static_cast<std::size_t>(ranks));
  for (auto& [color, members] : by_color) {
    const auto group = static_cast<int>(groups.ranks_of_group.size());
    for (const int rank : members) groups.group_of_rank[static_cast<std::size_t>(rank)] = group;
    groups.ranks_of_group.push_back(std::move(members));
  }
  return groups;
}

}  // namespace collbench
