// SPDX-License-Identifier: Apache-2.0
#include "base/one_line.h"

#include <fmt/format.h>

#include <climits>

namespace collbench {
namespace {

constexpr std::size_t kLongestLine = PIPE_BUF - 1;  // without its newline
constexpr std::string_view kLeftOut = " ... ";

bool is_within_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// U+0080 to U+009F, which terminals take for ESC and a letter.
bool is_long_control(std::string_view text) {
  return text.size() > 1 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0 &&
         is_within_character(text[1]);
}

// What is wrong stands at the beginning, and what to do at the end.
std::string shortened(const std::string& line) {
  if (line.size() <= kLongestLine) return line;
  std::size_t head = kLongestLine / 2;
  std::size_t tail = line.size() - (kLongestLine - head - kLeftOut.size());
  while (head > 0 && is_within_character(line[head])) --head;
  while (tail < line.size() && is_within_character(line[tail])) ++tail;
  return fmt::format("{}{}{}", line.substr(0, head), kLeftOut, line.substr(tail));
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else if (code < ' ' || code == 0x7f) {
      line += fmt::format("\\x{:02x}", code);
    } else if (is_long_control(text.substr(at))) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++at]));
    } else {
      line += c;
    }
  }
  return line;
}

std::string message_line(std::string_view text) { return shortened(one_line(text)) + '\n'; }

}  // namespace collbench
