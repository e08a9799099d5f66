// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>

namespace collbench {
namespace {

Terminal terminal_with(int descriptor, const std::map<std::string, std::string>& variables) {
  return terminal_of(descriptor, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(CliTerminal, AFileHasNoWidthAndNoColoursUnlessForced) {
  const int file = open("/dev/null", O_WRONLY);
  EXPECT_EQ(terminal_with(file, {}).width, 0U);
  EXPECT_FALSE(terminal_with(file, {{"TERM", "xterm"}}).colour);
  EXPECT_TRUE(terminal_with(file, {{"FORCE_COLOR", "1"}}).colour);
  EXPECT_FALSE(terminal_with(file, {{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}}).colour);
  close(file);
}

TEST(CliTerminal, ATerminalHasBoth) {
  const int leader = posix_openpt(O_RDWR | O_NOCTTY);
  if (leader < 0 || grantpt(leader) != 0 || unlockpt(leader) != 0) GTEST_SKIP() << "requires a pty";
  const int terminal = open(ptsname(leader), O_RDWR | O_NOCTTY);
  const winsize size = {.ws_row = 24, .ws_col = 97, .ws_xpixel = 0, .ws_ypixel = 0};
  ASSERT_EQ(ioctl(terminal, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(terminal_with(terminal, {}).width, 97U);
  EXPECT_TRUE(terminal_with(terminal, {{"TERM", "xterm"}, {"NO_COLOR", ""}}).colour);
  EXPECT_FALSE(terminal_with(terminal, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).colour);
  EXPECT_FALSE(terminal_with(terminal, {{"TERM", "dumb"}}).colour);
  close(terminal);
  close(leader);
}

}  // namespace
}  // namespace collbench
