// SPDX-License-Identifier: Apache-2.0
#include "cli/ab_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "cli/tool_options.h"

namespace collbench {
namespace {

using Words = std::vector<std::string>;

AbOptions parsed(const Words& words) { return std::get<AbOptions>(parse_tool_command(words)); }

std::string error_of(const Words& words) {
  try {
    parse_tool_command(words);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(AbOptions, CommandsAreTakenAsTheyStand) {
  const AbOptions options =
      parsed({"ab", "--runs", "3", "--keep", "out", "--launch-timeout", "2.5", "--fail-on", "none",
              "--", "a", "--runs", "-b", "--", "b", "--", "-J"});
  EXPECT_EQ(options.runs, 3u);
  EXPECT_EQ(options.folder, "out");
  EXPECT_EQ(options.launch_timeout_s, 2.5);
  EXPECT_EQ(options.base, (Words{"a", "--runs", "-b"}));
  EXPECT_EQ(options.candidate, (Words{"b", "--", "-J"}));
  EXPECT_FALSE(options.comparing.fail_on.has(ChangeVerdict::regression));
  const AbOptions usual = parsed({"ab", "--", "a", "--", "b"});
  EXPECT_EQ(usual.runs, 5u);
  EXPECT_EQ(usual.folder, "");
  EXPECT_EQ(usual.launch_timeout_s, 0);
  EXPECT_TRUE(usual.comparing.fail_on.has(ChangeVerdict::regression));
}

TEST(AbOptions, WhatCannotBeMeantIsRefused) {
  const std::string two =
      "two commands are needed, each behind a --, as in collbench ab --runs 5 -- mpirun -np 2 "
      "old/all_reduce_perf -- mpirun -np 2 new/all_reduce_perf";
  for (const Words& words :
       {Words{"ab"}, {"ab", "--", "a"}, {"ab", "--", "a", "--"}, {"ab", "--", "--", "b"}}) {
    EXPECT_EQ(error_of(words), two);
  }
  EXPECT_EQ(error_of({"ab", "--runs", "0", "--", "a", "--", "b"}),
            "--runs: '0' is not a whole number of at least 1");
  EXPECT_EQ(error_of({"ab", "--keep", "", "--", "a", "--", "b"}),
            "--keep: the folder's name is empty");
}

}  // namespace
}  // namespace collbench
