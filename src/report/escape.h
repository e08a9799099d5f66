// SPDX-License-Identifier: Apache-2.0
// Text from files as part of a page: whatever it holds, it stays text.
#pragma once

#include <string>
#include <string_view>

namespace collbench::report {

/// As one line of valid UTF-8: control characters as escapes ("\n"), bytes that are no UTF-8 as
/// U+FFFD.
std::string readable(std::string_view text);

/// readable(), as text or the value of a quoted attribute in HTML.
std::string html_text(std::string_view text);

/// readable(), as text in Markdown, in cells of tables too: nothing in it is markup.
std::string markdown_text(std::string_view text);

/// JSON as the content of a <script>: no "<" is left in it, so nothing in it can end the element.
std::string script_text(std::string_view json);

}  // namespace collbench::report
