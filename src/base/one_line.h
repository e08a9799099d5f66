// SPDX-License-Identifier: Apache-2.0
// Text from anywhere (arguments, names of files, what files hold) as part of one line.
#pragma once

#include <string>
#include <string_view>

namespace collbench {

/// The text with control characters as escapes, such as "\n" and "\x1b": they would start a line of
/// their own, or have a terminal do what a file says.
std::string one_line(std::string_view text);

/// A line of a message, ended by a newline: one_line(text), its middle left out where it is longer
/// than what a pipe takes in one piece, so that the lines of several processes do not mix.
std::string message_line(std::string_view text);

}  // namespace collbench
