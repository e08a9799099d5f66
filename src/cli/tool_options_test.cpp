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
  EXPECT_EQ(std::get<SchemaOptions>(parse_tool_command({"schema"})).of, "results");
  EXPECT_EQ(std::get<SchemaOptions>(parse_tool_command({"schema", "--of", "scaling"})).of,
            "scaling");
  EXPECT_THROW(parse_tool_command({"schema", "--of", "table"}), UserError);
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

TEST(ToolOptions, RoutingIsOfALayerWithExperts) {
  const auto options = std::get<RoutingOptions>(parse_tool_command(
      {"routing", "--model", "deepseek-v3", "--ep", "16", "--dp", "16", "--micro-batch", "2",
       "--routing", "zipf:1.2", "--ranks-per-node", "4", "--balance", "50", "--format", "trace"}));
  EXPECT_EQ(options.shape, (routing::Shape{.ranks = 16,
                                           .experts = 256,
                                           .per_token = 8,
                                           .tokens = 8192,
                                           .groups = {8, 4},
                                           .ranks_per_node = 4}));
  EXPECT_EQ(options.layer, 3U);  // the first three are dense
  EXPECT_EQ(options.balance_steps, 50);
  EXPECT_EQ(options.format, RoutingFormat::trace);
  const auto refusal = [](Words flags) {
    Words words = {"routing", "--model", "deepseek-v3", "--ep", "8", "--dp", "8"};
    words.insert(words.end(), flags.begin(), flags.end());
    return error_of(words);
  };
  EXPECT_EQ(refusal({"--layer", "2"}), "--layer: '2' is not a whole number of at least 3");
  EXPECT_EQ(refusal({"--layer", "61"}), "--layer: 61 is more than 60, the most there may be");
  EXPECT_EQ(refusal({"--balance", "5"}),
            "--balance: this routing is balanced; choose another with --routing");
  EXPECT_EQ(refusal({"--bias-update-rate", "1"}),
            "--bias-update-rate says nothing without --balance");
  EXPECT_EQ(refusal({"--routing", "uniform,groups:256/4"}),
            "a token needs 8 experts, and its groups have only 4");
  EXPECT_EQ(refusal({"--routing", "uniform,groups:7/4"}),
            "256 experts do not divide into 7 groups");
  EXPECT_NE(refusal({"--routing", "file:/nowhere"}), "");
  EXPECT_EQ(error_of({"routing", "--model", "llama3-8b"}), "llama3-8b has no experts to route to");
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
  for (const char* name : {"validate", "show", "convert", "completion", "schema", "models",
                           "layout", "traffic", "routing"}) {
    EXPECT_NE(text_of({"--help"}).find(name), std::string::npos);
    EXPECT_NE(text_of({name, "--help"}).find(std::string("Usage: collbench ") + name),
              std::string::npos);
  }
  EXPECT_TRUE(text_of({"--version"}).starts_with("collbench "));
}

TEST(ToolOptions, WhatCannotBeMeantIsRefused) {
  // The list of all ends the sentence, and grows.
  EXPECT_TRUE(error_of({}).starts_with("a subcommand is missing; choose from validate, show, "));
  EXPECT_TRUE(error_of({"validat"})
                  .starts_with("'validat' is no subcommand; choose from validate, show, "));
  EXPECT_EQ(error_of({"--versio"}), "unknown flag '--versio'; see --help");
  EXPECT_EQ(error_of({"show"}), "FILE is required; see --help");
  EXPECT_EQ(error_of({"show", "--x", "a"}),
            "unknown flag '--x'; see --help for the flags there are");
  EXPECT_EQ(error_of({"schema", "x"}),
            "unexpected operand 'x'; see --help for the flags there are");
}

}  // namespace
}  // namespace collbench
