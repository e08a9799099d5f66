// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

namespace collbench {
namespace {

TEST(Version, NamesTheCompilerThatIsAtWork) {
#ifdef __clang__
  const std::string expected =
      fmt::format("clang++ {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  const std::string expected =
      fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  EXPECT_EQ(build_info().compiler, expected);
}

// tests/version_test.py changes a source and looks for another hash.
TEST(Version, TheHashOfTheSourcesIsPartOfTheBuildId) {
  const std::string hash(build_info().sources);
  EXPECT_TRUE(std::regex_match(hash, std::regex("[0-9a-f]{12}"))) << hash;
  EXPECT_NE(build_id().find("|" + hash + "|"), std::string::npos);
}

TEST(Version, Text) {
  EXPECT_EQ(version_text(),
            fmt::format("collbench {} (commit {})\ncompiler {}\nflags {}\n", kVersion,
                        build_info().git_commit, build_info().compiler, build_info().flags));
}

}  // namespace
}  // namespace collbench
