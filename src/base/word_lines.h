// SPDX-License-Identifier: Apache-2.0
// Text files of words in lines, as people and small programs write them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace collbench {

/// The words of a line, which any of the separators divide; what follows a # is a comment.
std::vector<std::string_view> words_of(std::string_view line,
                                       std::string_view separators = " \t\r");

struct WordLine {
  int number = 0;  // in the file, counted from 1
  std::vector<std::string_view> words;
};

/// The lines of a text that have words, one after the other. The text must stay where it is.
class WordLines {
 public:
  explicit WordLines(std::string_view text, std::string_view separators = " \t\r")
      : rest_(text), separators_(separators) {}

  /// Absent: no line is left.
  std::optional<WordLine> next();

  /// The number of the last line that was looked at.
  int number() const { return number_; }

 private:
  std::string_view rest_, separators_;
  int number_ = 0;
};

}  // namespace collbench
