// SPDX-License-Identifier: Apache-2.0
// Tests of the command line of `collbench`.
#include "cli/tool_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

using Words = std::vector<std::string>;

std::string error_of(const Words& arguments) {
  try {
    parse_tool_command(arguments);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

std::string text_of(const Words& arguments) {
  return std::get<PrintText>(parse_tool_command(arguments)).text;
}

TEST(ToolOptions, FilesOfASubcommand) {
  EXPECT_EQ(std::get<ValidateOptions>(parse_tool_command({"validate", "a", "b"})).files,
            (Words{"a", "b"}));
  EXPECT_EQ(std::get<ShowOptions>(parse_tool_command({"show", "validate"})).files,
            Words{"validate"});
  EXPECT_EQ(std::get<ShowOptions>(parse_tool_command({"show", "--", "-x"})).files, Words{"-x"});
  EXPECT_TRUE(std::holds_alternative<SchemaOptions>(parse_tool_command({"schema"})));
}

TEST(ToolOptions, HelpNamesEverySubcommand) {
  for (const char* name : {"validate", "show", "schema"}) {
    EXPECT_NE(text_of({"--help"}).find(name), std::string::npos);
    EXPECT_NE(text_of({name, "--help"}).find(std::string("Usage: collbench ") + name),
              std::string::npos);
  }
  EXPECT_TRUE(text_of({"--version"}).starts_with("collbench "));
}

TEST(ToolOptions, WhatCannotBeMeantIsRefused) {
  EXPECT_EQ(error_of({}),
            "a subcommand is missing; choose from validate, show, schema; see --help");
  EXPECT_EQ(error_of({"validat"}),
            "'validat' is no subcommand; choose from validate, show, schema");
  EXPECT_EQ(error_of({"--versio"}), "unknown flag '--versio'; see --help");
  EXPECT_EQ(error_of({"show"}), "FILE is required; see --help");
  EXPECT_EQ(error_of({"show", "--x", "a"}),
            "unknown flag '--x'; see --help for the flags there are");
  EXPECT_EQ(error_of({"schema", "x"}),
            "unexpected operand 'x'; see --help for the flags there are");
}

}  // namespace
}  // namespace collbench
