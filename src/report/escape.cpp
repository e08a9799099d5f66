// SPDX-License-Identifier: Apache-2.0
#include "report/escape.h"

#include "base/one_line.h"

namespace collbench::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
}

/// The bytes of the character that begins here; 0 where none does (RFC 3629, section 4).
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text, at + i)) return 0;
  }
  const auto second = static_cast<unsigned char>(text[at + 1]);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second > 0x9f;
  const bool beyond = first == 0xf4 && second > 0x8f;
  // U+FFFE and U+FFFF are no characters, and XML has none of them.
  const bool none =
      first == 0xef && second == 0xbf && static_cast<unsigned char>(text[at + 2]) >= 0xbe;
  return overlong || surrogate || beyond || none ? 0 : length;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    valid += length == 0 ? kReplacement : text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return valid;
}

}  // namespace

std::string readable(std::string_view text) { return one_line(valid_utf8(text)); }

std::string html_text(std::string_view text) {
  std::string html;
  for (const char c : readable(text)) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_{}[]<>#|~&@!";
  std::string markdown;
  for (const char c : readable(text)) {
    if (kMarkup.find(c) != std::string_view::npos) markdown += '\\';
    markdown += c;
  }
  return markdown;
}

std::string script_text(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace collbench::report
