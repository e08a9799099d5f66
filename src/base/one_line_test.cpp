// SPDX-License-Identifier: Apache-2.0
#include "base/one_line.h"

#include <gtest/gtest.h>

#include <climits>

namespace collbench {
namespace {

TEST(OneLine, ShowsControlCharactersAndKeepsAllOthers) {
  EXPECT_EQ(one_line("a\nb\tc\x1b[31m\x7f"), "a\\nb\\tc\\x1b[31m\\x7f");
  EXPECT_EQ(one_line(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(one_line("\xc2\x9b"
                     "2J \xc2\xa0"),
            "\\x9b2J \xc2\xa0");  // CSI, as terminals have it, too
  EXPECT_EQ(one_line("größer \\n \xff"), "größer \\n \xff");
}

TEST(OneLine, AMessageIsOneWriteToAPipe) {
  EXPECT_EQ(message_line("-b: '1\n'"), "-b: '1\\n'\n");
  const std::string fitting(PIPE_BUF - 1, 'a');
  EXPECT_EQ(message_line(fitting), fitting + '\n');
  for (const std::string middle : {"x", "ü", "€", "\n"}) {
    std::string text = "begin";
    while (text.size() < 100000) text += middle;
    const std::string line = message_line(text + "end");
    EXPECT_LE(line.size(), PIPE_BUF);
    EXPECT_GT(line.size(), PIPE_BUF - 8);
    EXPECT_TRUE(line.starts_with("begin") && line.ends_with("end\n")) << middle;
    const std::size_t cut = line.find(" ... ");
    ASSERT_NE(cut, std::string::npos);
    if (middle == "\n") continue;  // which has become an escape
    EXPECT_EQ((cut - 5) % middle.size(), 0U) << middle;
  }
}

}  // namespace
}  // namespace collbench
