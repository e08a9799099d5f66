// SPDX-License-Identifier: Apache-2.0
#include "cli/report_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "cli/tool_options.h"

namespace collbench {
namespace {

ReportOptions parsed(std::vector<std::string> words) {
  words.insert(words.begin(), "report");
  return std::get<ReportOptions>(parse_tool_command(words));
}

std::string message_of(std::vector<std::string> words) {
  try {
    parsed(std::move(words));
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ReportOptions, StdoutIsText) {
  const ReportOptions options = parsed({"a.json", "b.json"});
  EXPECT_EQ(options.files, (std::vector<std::string>{"a.json", "b.json"}));
  EXPECT_EQ(options.format, ReportFormat::text);
  EXPECT_FALSE(options.output);
  EXPECT_EQ(options.title, "collbench report");
}

TEST(ReportOptions, TheNameOfTheOutputTellsItsFormat) {
  EXPECT_EQ(parsed({"a.json", "-o", "x.html"}).format, ReportFormat::html);
  EXPECT_EQ(parsed({"a.json", "-o", "x.md"}).format, ReportFormat::markdown);
  EXPECT_EQ(parsed({"a.json", "-o", "x.prom"}).format, ReportFormat::prom);
  EXPECT_EQ(parsed({"a.json", "-o", "x.csv"}).format, ReportFormat::csv);
  EXPECT_EQ(parsed({"a.json", "-o", "x.html", "--format", "text"}).format, ReportFormat::text);
  EXPECT_EQ(parsed({"a.json", "-o", "x", "--format", "html"}).format, ReportFormat::html);
  EXPECT_EQ(message_of({"a.json", "-o", "x.pdf"}),
            "-o x.pdf: its format cannot be told from its name, which ends in none of .html, .txt, "
            ".md, .csv, .prom; give --format");
}

TEST(ReportOptions, ABaseStandsBeforeTwoDashes) {
  const ReportOptions options = parsed({"a.json", "b.json", "--", "c.json", "-o", "x.html"});
  EXPECT_EQ(options.files, (std::vector<std::string>{"a.json", "b.json", "c.json"}));
  EXPECT_EQ(options.base_files, 2u);
  EXPECT_EQ(options.output, "x.html");
  EXPECT_EQ(parsed({"a.json"}).base_files, 0u);
  EXPECT_EQ(message_of({"a.json", "--"}),
            "--: the files of the base stand before it and the new ones after it, and there are "
            "none");
  EXPECT_NE(message_of({"--", "a.json"}), "accepted");
  EXPECT_NE(message_of({"a.json", "--", "b.json", "--", "c.json"}), "accepted");
}

TEST(ReportOptions, WhatCannotBeMeantIsRefused) {
  EXPECT_NE(message_of({}), "accepted");
  EXPECT_EQ(message_of({"a.json", "--format", "pdf"}),
            "--format: 'pdf' is no format; choose from html, text, markdown, csv, prom");
  EXPECT_EQ(message_of({"a.json", "--series", "9"}),
            "--series has a meaning for --format prom only");
  EXPECT_NE(message_of({"a.json", "--format", "prom", "--series", "0"}), "accepted");
  EXPECT_EQ(parsed({"a.json", "--format", "prom", "--series", "9"}).most_series, 9u);
}

}  // namespace
}  // namespace collbench
