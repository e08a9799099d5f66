// SPDX-License-Identifier: Apache-2.0
#include "base/word_lines.h"

#include <algorithm>

namespace collbench {

std::vector<std::string_view> words_of(std::string_view line, std::string_view separators) {
  std::vector<std::string_view> words;
  line = line.substr(0, line.find('#'));
  while (true) {
    const std::size_t start = line.find_first_not_of(separators);
    if (start == std::string_view::npos) return words;
    line.remove_prefix(start);
    words.push_back(line.substr(0, line.find_first_of(separators)));
    line.remove_prefix(words.back().size());
  }
}

std::optional<WordLine> WordLines::next() {
  while (!rest_.empty()) {
    const std::size_t length = std::min(rest_.find('\n'), rest_.size());
    WordLine line = {++number_, words_of(rest_.substr(0, length), separators_)};
    rest_.remove_prefix(std::min(length + 1, rest_.size()));
    if (!line.words.empty()) return line;
  }
  return std::nullopt;
}

}  // namespace collbench
