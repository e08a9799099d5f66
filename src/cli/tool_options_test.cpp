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

TEST(ToolOptions, ModelsAreAllOrOne) {
  EXPECT_FALSE(std::get<ModelsOptions>(parse_tool_command({"models"})).model);
  const auto alone = std::get<ModelsOptions>(
      parse_tool_command({"models", "--model", "tiny", "--format", "json"}));
  EXPECT_EQ(alone.model->name, "tiny");
  EXPECT_FALSE(alone.layout);
  EXPECT_TRUE(alone.json);
  const auto placed =
      std::get<ModelsOptions>(parse_tool_command({"models", "--model", "tiny", "--ranks", "4"}));
  EXPECT_EQ(placed.layout->dp, 4);
  EXPECT_EQ(placed.step.sequence, 128U);
  EXPECT_EQ(error_of({"models", "--tp", "2"}),
            "a model is missing; give --model or --model-file; collbench models lists them");
}

TEST(ToolOptions, LayoutsNeedNoModel) {
  const auto options = std::get<LayoutOptions>(
      parse_tool_command({"layout", "--ranks", "16", "--tp", "2", "--ranks-per-node", "4", "--axis",
                          "dp", "--rank", "15"}));
  EXPECT_EQ(options.layout.dp, 8);
  EXPECT_EQ(options.ranks_per_node, 4);
  EXPECT_EQ(options.axis, model::Axis::dp);
  EXPECT_EQ(options.rank, 15);
  EXPECT_EQ(error_of({"layout", "--dp", "4", "--rank", "4"}),
            "--rank: 4 is more than 3, the most there may be");
  EXPECT_EQ(error_of({"layout", "--dp", "4", "--ep", "3"}),
            "impossible layout: etp * ep = 1 * 3 = 3 does not divide tp * cp * dp = 4: experts are "
            "carved out of the ranks of one stage; change ep, etp or dp");
  EXPECT_EQ(
      error_of({"layout", "--model", "tiny", "--tp", "16"}),
      "impossible layout: tp = 16 does not divide the 8 heads of tiny; choose a tp that does");
}

TEST(ToolOptions, TrafficIsOfOnePosition) {
  const auto options = std::get<TrafficOptions>(
      parse_tool_command({"traffic", "--model", "tiny", "--pp", "4", "--position", "3"}));
  EXPECT_EQ(options.position, 3);
  EXPECT_EQ(error_of({"traffic", "--model", "tiny", "--position", "1"}),
            "--position: 1 is more than 0, the most there may be");
  EXPECT_EQ(error_of({"traffic"}),
            "a model is missing; give --model or --model-file; collbench models lists them");
  EXPECT_EQ(error_of({"traffic", "--model", "tiny", "--format", "xml"}),
            "--format: 'xml' is no format; choose from text, json");
}

TEST(ToolOptions, AConversionNeedsAFormat) {
  const auto options =
      std::get<ConvertOptions>(parse_tool_command({"convert", "--to", "nccl-tests", "a", "b"}));
  EXPECT_EQ(options.format, ConvertFormat::nccl_tests);
  EXPECT_EQ(options.files, (Words{"a", "b"}));
  EXPECT_EQ(error_of({"convert", "a"}), "--to is missing; choose from nccl-tests, csv");
  EXPECT_EQ(error_of({"convert", "--to", "xml", "a"}),
            "--to: 'xml' is no format; choose from nccl-tests, csv");
}

TEST(ToolOptions, HelpNamesEverySubcommand) {
  for (const char* name :
       {"validate", "show", "convert", "completion", "schema", "models", "layout", "traffic"}) {
    EXPECT_NE(text_of({"--help"}).find(name), std::string::npos);
    EXPECT_NE(text_of({name, "--help"}).find(std::string("Usage: collbench ") + name),
              std::string::npos);
  }
  EXPECT_TRUE(text_of({"--version"}).starts_with("collbench "));
}

TEST(ToolOptions, WhatCannotBeMeantIsRefused) {
  EXPECT_EQ(
      error_of({}),
      "a subcommand is missing; choose from validate, show, convert, completion, schema, fit, "
      "models, layout, traffic; see --help");
  EXPECT_EQ(error_of({"validat"}),
            "'validat' is no subcommand; choose from validate, show, convert, completion, schema, "
            "fit, models, layout, traffic");
  EXPECT_EQ(error_of({"--versio"}), "unknown flag '--versio'; see --help");
  EXPECT_EQ(error_of({"show"}), "FILE is required; see --help");
  EXPECT_EQ(error_of({"show", "--x", "a"}),
            "unknown flag '--x'; see --help for the flags there are");
  EXPECT_EQ(error_of({"schema", "x"}),
            "unexpected operand 'x'; see --help for the flags there are");
}

}  // namespace
}  // namespace collbench
