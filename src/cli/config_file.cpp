// SPDX-License-Identifier: Apache-2.0
#include "cli/config_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "results/open_file.h"

namespace collbench {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The value without its quotes, and what follows it.
struct Value {
  std::string_view text, rest;
};

Value value_of(std::string_view text) {
  if (text.starts_with('"')) {
    const std::size_t end = text.find('"', 1);
    if (end == std::string_view::npos) return {"", text};
    return {text.substr(1, end - 1), trimmed(text.substr(end + 1))};
  }
  const std::size_t end = std::min(text.find_first_of(" \t#"), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

}  // namespace

std::vector<ConfigEntry> parse_config(std::string_view text, std::string_view source) {
  std::vector<ConfigEntry> entries;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t equals = line.find('=');
    const std::string_view key = trimmed(line.substr(0, std::min(equals, line.size())));
    const Value value = equals == std::string_view::npos
                            ? Value{"", "-"}
                            : value_of(trimmed(line.substr(equals + 1)));
    if (key.empty() || (!value.rest.empty() && !value.rest.starts_with('#'))) {
      throw UserError(fmt::format(
          "{}, line {}: '{}' is no flag; write such as minbytes = 8, or matrix = \"file:a b\"",
          source, number, line));
    }
    for (const ConfigEntry& earlier : entries) {
      if (earlier.key != key) continue;
      throw UserError(fmt::format("{}, line {}: {} is given twice, first in line {}", source,
                                  number, key, earlier.line));
    }
    entries.push_back({number, std::string(key), std::string(value.text)});
  }
  return entries;
}

std::string read_config_file(const std::string& path) {
  constexpr std::size_t kMostBytes = 1 << 16;
  if (path == "/dev/null") return "";  // as one says that there are no flags
  std::string text = read_file(path);
  if (text.size() > kMostBytes) {
    throw UserError(
        fmt::format("{}: too long for a file of flags, which has a line per flag", path));
  }
  return text;
}

}  // namespace collbench
