// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

TEST(ParseBytes, ReadsSizesAsPeopleWriteThem) {
  const std::vector<std::pair<std::string, Bytes>> cases = {{"8", 8},
                                                            {"8B", 8},
                                                            {"1k", 1024},
                                                            {"1K", 1024},
                                                            {"1KB", 1024},
                                                            {"1KiB", 1024},
                                                            {"1.5K", 1536},
                                                            {"32M", 32ULL << 20},
                                                            {"2gib", 2ULL << 30},
                                                            {"3T", 3ULL << 40},
                                                            {"1e3", 1000},
                                                            {"4096G", 4ULL << 40},
                                                            {"0", 0}};
  for (const auto& [text, bytes] : cases) EXPECT_EQ(parse_bytes(text, "-b"), bytes) << text;
}

TEST(ParseBytes, RefusesEverythingElse) {
  for (const std::string text : {"", "K", "abc", "-8", "1KiBxyz", "8 M", "1X", "nan", "inf", "1.5",
                                 "0.3K", "17179869184G", "1e30", "0x10", "1,5", "8MM", "1bb"}) {
    EXPECT_THROW(parse_bytes(text, "-b"), UserError) << text;
  }
}

TEST(ParseBytes, NamesTheFlagAndTheText) {
  try {
    parse_bytes("12Q", "-e");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("-e: '12Q' has an unknown unit"), std::string::npos);
  }
}

TEST(FormatBytes, PicksTheUnit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(32ULL << 20), "32 MiB");
  EXPECT_EQ(format_bytes(5ULL << 40), "5 TiB");
}

}  // namespace
}  // namespace collbench
