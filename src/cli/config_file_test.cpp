// SPDX-License-Identifier: Apache-2.0
#include "cli/config_file.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

std::string error_of(std::string_view text) {
  try {
    parse_config(text, "FILE");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ConfigFile, AFlagPerLine) {
  const auto entries = parse_config(
      "# of a run\n"
      "\n"
      "minbytes=8\r\n"
      "  maxbytes = 1K  # the last\n"
      "matrix = \"file:a #1\" # quoted\n"
      "output_file = \"\"\n"
      "force = true",
      "FILE");
  ASSERT_EQ(entries.size(), 5U);
  EXPECT_EQ(entries[0].key, "minbytes");
  EXPECT_EQ(entries[0].value, "8");
  EXPECT_EQ(entries[0].line, 3);
  EXPECT_EQ(entries[1].value, "1K");
  EXPECT_EQ(entries[2].value, "file:a #1");
  EXPECT_EQ(entries[3].value, "");
  EXPECT_EQ(entries[4].value, "true");
  EXPECT_EQ(entries[4].line, 7);
  EXPECT_TRUE(parse_config("", "FILE").empty());
}

TEST(ConfigFile, WhatIsNoFlagIsRefusedWithItsLine) {
  for (const char* line :
       {"minbytes", "= 8", "[section]", "a = 8 9", "a = \"8", "a = \"8\" 9", "="}) {
    const std::string error = error_of(std::string("iters = 2\n") + line);
    EXPECT_TRUE(error.starts_with("FILE, line 2: ")) << line << ": " << error;
  }
  EXPECT_EQ(error_of("a = 1\nb = 2\na = 3"), "FILE, line 3: a is given twice, first in line 1");
}

TEST(ConfigFile, WhatCannotBeReadIsNamed) {
  EXPECT_THROW(read_config_file("/nowhere/flags"), UserError);
  EXPECT_THROW(read_config_file("/tmp"), UserError);
  EXPECT_THROW(read_config_file("/dev/zero"), UserError);
  EXPECT_EQ(read_config_file("/dev/null"), "");
}

}  // namespace
}  // namespace collbench
