// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>

namespace collbench {

Terminal terminal_of(int descriptor, const std::function<const char*(const char*)>& read) {
  const auto value = [&](const char* name) -> std::string_view {
    const char* text = read(name);
    return text == nullptr ? "" : text;
  };
  Terminal terminal;
  winsize size{};
  const bool is_terminal = isatty(descriptor) == 1;
  if (is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0) terminal.width = size.ws_col;
  terminal.colour = value("NO_COLOR").empty() &&
                    (!value("FORCE_COLOR").empty() || (is_terminal && value("TERM") != "dumb"));
  return terminal;
}

}  // namespace collbench
