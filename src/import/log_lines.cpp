// SPDX-License-Identifier: Apache-2.0
#include "import/log_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/errors.h"

namespace collbench {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// The length of the digits at the beginning.
std::size_t digits_of(std::string_view text) {
  return std::min(text.find_first_not_of(kDigits), text.size());
}

struct Mark {
  std::string_view process;  // as it is written; empty: none
  std::size_t length = 0;    // of all that the launcher wrote
};

/// "[1,0]<stdout>:", "[1,0]", "[0] "
Mark mark_in_brackets(std::string_view line) {
  if (!line.starts_with('[')) return {};
  std::size_t end = 1 + digits_of(line.substr(1));
  if (end < line.size() && line[end] == ',') end += 1 + digits_of(line.substr(end + 1));
  if (end == 1 || end >= line.size() || line[end] != ']') return {};
  const std::string_view process = line.substr(0, ++end);
  for (const std::string_view channel : {"<stdout>", "<stderr>"}) {
    if (line.substr(end).starts_with(channel)) end += channel.size();
  }
  if (line.substr(end).starts_with(':')) ++end;
  return {process, end};
}

/// "  0: ", "12: "
Mark mark_with_colon(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t digits = digits_of(line.substr(begin));
  const std::size_t end = begin + digits;
  if (digits == 0 || !line.substr(end).starts_with(':')) return {};
  if (end + 1 < line.size() && line[end + 1] != ' ') return {};  // a time of day
  return {line.substr(begin, digits), std::min(end + 2, line.size())};
}

Mark mark_of(std::string_view line) {
  const Mark mark = mark_in_brackets(line);
  return mark.length > 0 ? mark : mark_with_colon(line);
}

}  // namespace

void say(const LogLine& line, std::string_view problem) {
  throw UserError(fmt::format("line {}: {}", line.number, problem));
}

std::vector<std::vector<LogLine>> log_lines(std::string_view text) {
  std::vector<std::vector<LogLine>> processes;
  std::map<std::string_view, std::size_t> by_mark;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = text.find('\n', begin);
    const bool whole = newline != std::string_view::npos;
    std::string_view line = text.substr(begin, whole ? newline - begin : std::string_view::npos);
    begin += line.size() + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const Mark mark = mark_of(line);
    const auto [found, is_new] = by_mark.emplace(mark.process, processes.size());
    if (is_new) processes.emplace_back();
    processes[found->second].push_back({++number, line.substr(mark.length), whole});
  }
  return processes;
}

}  // namespace collbench
