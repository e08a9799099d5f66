// SPDX-License-Identifier: Apache-2.0
#include "cli/baseline_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "cli/tool_options.h"

namespace collbench {
namespace {

using Words = std::vector<std::string>;

BaselineOptions parsed(Words words) {
  words.insert(words.begin(), "baseline");
  return std::get<BaselineOptions>(parse_tool_command(words));
}

std::string error_of(const Words& words) {
  try {
    parsed(words);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(BaselineOptions, Actions) {
  const BaselineOptions add = parsed({"add", "base.jsonl", "a", "b", "--with-regressions"});
  EXPECT_EQ(add.action, BaselineAction::add);
  EXPECT_EQ(add.baseline, "base.jsonl");
  EXPECT_EQ(add.files, (Words{"a", "b"}));
  EXPECT_EQ(add.most, 20u);
  EXPECT_TRUE(add.with_regressions);
  EXPECT_EQ(parsed({"show", "base.jsonl"}).action, BaselineAction::show);
  const BaselineOptions prune = parsed({"prune", "base.jsonl", "--most", "3"});
  EXPECT_EQ(prune.action, BaselineAction::prune);
  EXPECT_EQ(prune.most, 3u);
}

TEST(BaselineOptions, WhatCannotBeMeantIsRefused) {
  EXPECT_EQ(error_of({"shw", "x"}),
            "collbench baseline: 'shw' is no action; choose from add, show, prune");
  EXPECT_EQ(error_of({"show"}),
            "the baseline's file is missing, as in collbench baseline show base.jsonl");
  EXPECT_EQ(error_of({"add", "x"}),
            "nothing to add; name files, as in collbench baseline add base.jsonl results.json");
  EXPECT_EQ(error_of({"show", "x", "y"}), "unexpected operand 'y': show takes the baseline alone");
  EXPECT_EQ(error_of({"prune", "x"}),
            "--most is missing: how many launches to keep, as in --most 10");
  EXPECT_EQ(error_of({"show", "x", "--most", "3"}), "--most: show removes nothing; leave it out");
  EXPECT_EQ(error_of({"prune", "x", "--most", "0"}),
            "--most: '0' is not a whole number of at least 1");
  EXPECT_EQ(error_of({"show", "x", "--with-regressions"}),
            "--with-regressions: only add has use for it; leave it out");
}

}  // namespace
}  // namespace collbench
