// SPDX-License-Identifier: Apache-2.0
#include "import/json_keys.h"

#include <algorithm>

namespace collbench {
namespace {

/// Past the string that begins at `quote`; the end of the text where it has none.
std::size_t end_of_string(std::string_view text, std::size_t quote) {
  for (std::size_t i = quote + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return text.size();
}

}  // namespace

std::string_view first_key_of(std::string_view text, std::initializer_list<std::string_view> keys) {
  std::size_t depth = 0;
  bool is_key = false;  // what comes next in the outermost object
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t end = end_of_string(text, i);
      const std::string_view key = text.substr(i + 1, end > i + 1 ? end - i - 2 : 0);
      if (depth == 1 && is_key && std::find(keys.begin(), keys.end(), key) != keys.end())
        return key;
      is_key = false;
      i = end;
      continue;
    }
    if (c == '{' || c == '[') is_key = ++depth == 1 && c == '{';
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (c == ',' && depth == 1) is_key = true;
    ++i;
  }
  return "";
}

}  // namespace collbench
