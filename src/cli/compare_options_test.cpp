// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

using Words = std::vector<std::string>;

CompareToolOptions parsed(const Words& arguments) {
  CompareToolOptions options;
  CommandLine line("collbench compare", "");
  EXPECT_FALSE(parse(line, arguments, options));
  return options;
}

std::string error_of(const Words& arguments) {
  try {
    parsed(arguments);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CompareOptions, FlagsStandAnywhereAroundTheSides) {
  const CompareToolOptions options = parsed({"--explain", "a", "--rules", "r.json", "b", "--", "c",
                                             "--allow-missing", "d", "--allow-env-diff"});
  EXPECT_EQ(options.base, (Words{"a", "b"}));
  EXPECT_EQ(options.candidate, (Words{"c", "d"}));
  EXPECT_TRUE(options.comparing.explain);
  EXPECT_EQ(options.comparing.rules_file, "r.json");
  EXPECT_TRUE(options.comparing.compare.allow_missing);
  EXPECT_TRUE(options.comparing.compare.allow_environment_difference);
  EXPECT_FALSE(options.comparing.fail_on.has(ChangeVerdict::missing));
}

TEST(CompareOptions, ByDefaultRegressionsErrorsAndMissingRowsFail) {
  const ComparingOptions options = parsed({"a", "--", "b"}).comparing;
  for (const ChangeVerdictRow& row : kChangeVerdicts) {
    const bool fails = row.verdict == ChangeVerdict::regression ||
                       row.verdict == ChangeVerdict::error || row.verdict == ChangeVerdict::missing;
    EXPECT_EQ(options.fail_on.has(row.verdict), fails) << row.name;
  }
  ASSERT_EQ(options.outputs.size(), 1U);
  EXPECT_EQ(options.outputs[0].format, ComparisonFormat::text);
  EXPECT_EQ(options.outputs[0].file, "");
}

TEST(CompareOptions, FormatsAndFiltersRepeat) {
  const ComparingOptions options =
      parsed({"a", "--", "--format", "markdown", "--format", "junit=out=1.xml", "--filter", "x",
              "--filter", "y", "b", "--fail-on", "inconclusive,new"})
          .comparing;
  ASSERT_EQ(options.outputs.size(), 2U);
  EXPECT_EQ(options.outputs[0].format, ComparisonFormat::markdown);
  EXPECT_EQ(options.outputs[1].format, ComparisonFormat::junit);
  EXPECT_EQ(options.outputs[1].file, "out=1.xml");
  EXPECT_EQ(options.filters, (Words{"x", "y"}));
  EXPECT_TRUE(options.fail_on.has(ChangeVerdict::inconclusive));
  EXPECT_TRUE(options.fail_on.has(ChangeVerdict::fresh));
  EXPECT_FALSE(options.fail_on.has(ChangeVerdict::regression));
}

TEST(CompareOptions, NothingFailsWhereNoneIsAskedFor) {
  const ComparingOptions options = parsed({"a", "--", "b", "--fail-on", "none"}).comparing;
  for (const ChangeVerdictRow& row : kChangeVerdicts) {
    EXPECT_FALSE(options.fail_on.has(row.verdict)) << row.name;
  }
}

TEST(CompareOptions, RulesArePrintedWithoutFiles) {
  EXPECT_TRUE(parsed({"--print-rules"}).print_rules);
}

TEST(CompareOptions, WhatCannotBeMeantIsRefused) {
  EXPECT_EQ(error_of({"a", "b"}),
            "-- is missing: the files of the base stand before it and the new ones after it, as in "
            "collbench compare base/*.json -- new/*.json");
  EXPECT_EQ(error_of({"--", "b"}), "no file stands before --: the base is missing");
  EXPECT_EQ(error_of({"--baseline", "c", "a", "--", "b"}),
            "--baseline is the base; leave out it or the files before --");
  EXPECT_EQ(error_of({"a", "--"}), "no file stands after --: the new side is missing");
  EXPECT_EQ(error_of({"a", "--", "b", "--", "c"}), "-- is given twice; a comparison has two sides");
  EXPECT_EQ(error_of({"a", "--", "b", "--format", "xml"}),
            "--format: 'xml' is no format; choose from text, markdown, json, csv, junit, gha, "
            "gbench, bmf");
  EXPECT_EQ(error_of({"a", "--", "b", "--format", "json="}),
            "--format: 'json=' names no file after '='");
  EXPECT_EQ(error_of({"a", "--", "b", "--format", "json", "--format", "csv"}),
            "--format: two formats for stdout; give all but one a file, as in markdown=FILE");
  EXPECT_EQ(error_of({"a", "--", "b", "--format", "json=x", "--format", "csv=x"}),
            "--format: two formats for x");
  EXPECT_EQ(error_of({"a", "--", "b", "--fail-on", "improvement"}),
            "--fail-on: 'improvement' is no reason to fail");
  EXPECT_EQ(error_of({"a", "--", "b", "--fail-on", "regression,"}),
            "--fail-on: '' is no verdict; choose from error, missing, regression, suspect, "
            "inconclusive, incomparable, new, improvement, unchanged");
  EXPECT_EQ(error_of({"a", "--", "b", "--explai"}), "unknown flag '--explai'; is --explain meant?");
}

}  // namespace
}  // namespace collbench
