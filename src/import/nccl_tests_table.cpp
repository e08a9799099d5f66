// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_tests_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace collbench {
namespace {

using Words = std::vector<std::string_view>;

std::optional<DataType> type_of(std::string_view name) {
  const auto row = std::find_if(kDataTypes.begin(), kDataTypes.end(),
                                [&](const DataTypeRow& type) { return type.name == name; });
  if (row == kDataTypes.end()) return std::nullopt;
  return row->type;
}

std::optional<ReduceOp> op_of(const LogLine& line, std::string_view name) {
  if (name == "none" || name == "-") return std::nullopt;
  const auto row = std::find_if(kReduceOps.begin(), kReduceOps.end(),
                                [&](const ReduceOpRow& op) { return op.name == name; });
  if (row == kReduceOps.end()) say(line, fmt::format("'{}' is no reduction that is known", name));
  return row->op;
}

bool is_nothing(std::string_view word) {
  constexpr std::array<std::string_view, 6> kNothing = {"N/A", "-", "inf", "-inf", "nan", "-nan"};
  return std::find(kNothing.begin(), kNothing.end(), word) != kNothing.end();
}

std::optional<PrintedNumber> number_or_nothing(const LogLine& line, std::string_view word) {
  if (is_nothing(word)) return std::nullopt;
  const auto number = parse_printed(word);
  if (!number) say(line, fmt::format("'{}' is no number", word));
  if (number->value < 0) say(line, fmt::format("'{}' is below 0", word));
  return number;
}

void set_column(const LogLine& line, NcclTestsPlacement& placement, std::string_view name,
                std::string_view word) {
  if (name.starts_with("i_")) return;  // of -I: a summary, of samples that are not printed
  const auto number = number_or_nothing(line, word);
  if (name == "time") {
    placement.time_us = number;
  } else if (name == "cputime") {
    placement.enqueue_us = number;
  } else if (name == "algbw") {
    placement.algorithm_GBps = number;
  } else if (name == "busbw") {
    placement.bus_GBps = number;
  } else if (number) {  // #wrong, or error
    placement.wrong = number->value;
  }
}

}  // namespace

std::optional<NcclTestsColumns> nccl_tests_columns(const LogLine& line) {
  if (!line.text.starts_with('#')) return std::nullopt;
  NcclTestsColumns columns = {words_of(line.text.substr(1))};
  const Words& names = columns.names;
  if (names.size() < 8 || names[0] != "size" || names[1] != "count" || names[2] != "type") {
    return std::nullopt;
  }
  columns.timestamp = names.back() == "timestamp";
  if (columns.timestamp) columns.names.pop_back();
  return columns;
}

bool begins_like_a_row(const Words& words) {
  return words.size() >= 3 && parse_whole(words[0]) && parse_whole(words[1]) && type_of(words[2]);
}

NcclTestsRow nccl_tests_row(const LogLine& line, Words words, const NcclTestsColumns& columns) {
  const Words& names = columns.names;
  const bool lacks_op = words.size() + 1 == names.size() + (columns.timestamp ? 2 : 0);
  if (lacks_op && names.size() > 3 && names[3] == "redop") words.insert(words.begin() + 3, "none");
  if (words.size() < names.size()) say(line, "this row has fewer columns than its table");
  NcclTestsRow row;
  row.line = line.number;
  row.size_bytes = *parse_whole(words[0]);
  row.count = *parse_whole(words[1]);
  row.type = *type_of(words[2]);
  std::size_t first = 3;
  for (; first < names.size() && (names[first] == "redop" || names[first] == "root"); ++first) {
    if (names[first] == "redop") row.op = op_of(line, words[first]);
    if (names[first] == "root" && words[first] != "-1") {
      row.root = parse_small(words[first]);
      if (!row.root) say(line, fmt::format("'{}' is no root", words[first]));
    }
  }
  const std::size_t half = (names.size() - first) / 2;
  row.out_of_place.emplace();
  row.in_place.emplace();
  for (std::size_t i = 0; i < half; ++i) {
    set_column(line, *row.out_of_place, names[first + i], words[first + i]);
    set_column(line, *row.in_place, names[first + i], words[first + half + i]);
  }
  return row;
}

}  // namespace collbench
