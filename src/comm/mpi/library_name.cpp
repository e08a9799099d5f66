// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/library_name.h"

#include <cctype>

namespace collbench {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Without the words that say no more than that a version follows.
std::string_view without_version_word(std::string_view name) {
  name = trimmed(name);
  while (!name.empty() && (name.back() == ':' || is_space(name.back()))) name.remove_suffix(1);
  for (const std::string_view word : {" Version", " version", " v"}) {
    if (name.ends_with(word)) return trimmed(name.substr(0, name.size() - word.size()));
  }
  return name;
}

// Where a word starts that is a version: "4.0.2", "v4.1.4"; npos when none does.
std::size_t find_version(std::string_view line) {
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (!is_digit(line[at])) continue;
    const bool after_space = is_space(line[at - 1]);
    const bool after_v = line[at - 1] == 'v' && at >= 2 && is_space(line[at - 2]);
    if (after_space || after_v) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string library_name(std::string_view version_text) {
  const std::string_view line = trimmed(version_text.substr(0, version_text.find('\n')));
  const std::size_t at = find_version(line);
  if (at == std::string_view::npos) return std::string(line);
  std::size_t end = at;
  while (end < line.size() && !is_space(line[end]) && line[end] != ',') ++end;
  const std::string_view version = line.substr(at, end - at);
  return std::string(without_version_word(line.substr(0, at))) + " " + std::string(version);
}

}  // namespace collbench
