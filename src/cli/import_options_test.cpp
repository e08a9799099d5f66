// SPDX-License-Identifier: Apache-2.0
#include "cli/import_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "cli/tool_options.h"

namespace collbench {
namespace {

using Words = std::vector<std::string>;

ImportOptions options_of(Words arguments) {
  arguments.insert(arguments.begin(), {"import", "log.txt", "-o", "out.json"});
  return std::get<ImportOptions>(parse_tool_command(arguments));
}

std::string error_of(const Words& arguments) {
  try {
    options_of(arguments);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ImportOptions, FactsAreWhatFlagsSay) {
  const ImportOptions nothing = options_of({});
  EXPECT_EQ(nothing.files, Words{"log.txt"});
  EXPECT_EQ(nothing.output, "out.json");
  EXPECT_EQ(nothing.facts, ImportFacts());
  const ImportFacts all = {.ranks = 8,
                           .nodes = 2,
                           .ranks_per_node = 4,
                           .collective = "all_gather",
                           .type = DataType::bfloat16,
                           .aggregation = "max"};
  EXPECT_EQ(options_of({"--ranks", "8", "--nodes", "2", "--ranks-per-node", "4", "--collective",
                        "all_gather", "--type", "bfloat16", "--aggregation", "max"})
                .facts,
            all);
}

TEST(ImportOptions, WhatCannotBeMeantIsRefused) {
  EXPECT_EQ(error_of({"--ranks", "2", "--nodes", "3"}),
            "--nodes: more hosts than --ranks has ranks");
  EXPECT_TRUE(error_of({"--ranks", "0"}).starts_with("--ranks: "));
  EXPECT_TRUE(
      error_of({"--collective", "allreduce"}).starts_with("--collective: 'allreduce' is no"));
  EXPECT_TRUE(error_of({"--aggregation", "sum"}).starts_with("--aggregation: 'sum' is no"));
  EXPECT_THROW(parse_tool_command({"import", "log.txt"}), UserError);
}

}  // namespace
}  // namespace collbench
