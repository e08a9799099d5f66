// SPDX-License-Identifier: Apache-2.0
#include "cli/scaling_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "cli/tool_options.h"

namespace collbench {
namespace {

using Words = std::vector<std::string>;

ScalingOptions parsed(const Words& words) {
  return std::get<ScalingOptions>(parse_tool_command(words));
}

TEST(ScalingOptions, FilesBaseAndOutput) {
  const ScalingOptions usual = parsed({"scaling", "a.json", "b.json"});
  EXPECT_EQ(usual.files, (Words{"a.json", "b.json"}));
  EXPECT_FALSE(usual.base_ranks.has_value());
  EXPECT_FALSE(usual.json);
  EXPECT_EQ(usual.output, "");
  const ScalingOptions other = parsed({"scaling", "a", "--base", "8", "--json", "-o", "out"});
  EXPECT_EQ(other.base_ranks, 8);
  EXPECT_TRUE(other.json);
  EXPECT_EQ(other.output, "out");
}

TEST(ScalingOptions, WhatCannotBeMeantIsRefused) {
  const auto error = [](const Words& words) -> std::string {
    try {
      parse_tool_command(words);
    } catch (const UserError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error({"scaling", "a", "--base", "0"}),
            "--base: '0' is not a whole number of at least 1");
  EXPECT_EQ(error({"scaling"}), "FILE is required; see --help");
}

}  // namespace
}  // namespace collbench
