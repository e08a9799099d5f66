// SPDX-License-Identifier: Apache-2.0
#include "cli/schemes_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "cli/tool_options.h"

namespace collbench {
namespace {

SchemesOptions parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "schemes");
  return std::get<SchemesOptions>(parse_tool_command(arguments));
}

std::string complaint(const std::vector<std::string>& arguments) {
  try {
    parsed(arguments);
    return "none";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(SchemesOptions, MemoryFormatAndFiles) {
  const SchemesOptions usual = parsed({"a.json", "b"});
  EXPECT_EQ(usual.files, (std::vector<std::string>{"a.json", "b"}));
  EXPECT_FALSE(usual.memory.has_value());
  EXPECT_EQ(usual.format, SchemesFormat::text);
  const SchemesOptions options = parsed({"a.json", "--memory", "80G", "--format", "json"});
  EXPECT_EQ(options.memory, Bytes{80} << 30);
  EXPECT_EQ(options.format, SchemesFormat::json);
}

TEST(SchemesOptions, WhatCannotBeMeantIsRefused) {
  EXPECT_EQ(complaint({"a.json", "--memory", "0"}), "--memory: a rank has at least a byte");
  EXPECT_EQ(complaint({"a.json", "--format", "yaml"}).find("--format: 'yaml' is no format"), 0u)
      << complaint({"a.json", "--format", "yaml"});
  EXPECT_NE(complaint({}), "none");
}

}  // namespace
}  // namespace collbench
