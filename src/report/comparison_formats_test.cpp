// SPDX-License-Identifier: Apache-2.0
// Each format of one comparison that has a row of every verdict; tests/golden/ has them as files.
#include "report/comparison_formats.h"

#include <gtest/gtest.h>

#include "analysis/example_sides.h"
#include "results/golden_file.h"
#include "results/json_value.h"

namespace collbench {
namespace {

using example::five, example::kLarge, example::operation, example::timed;

/// One row of each verdict but `incomparable` of other machines, and five that moved little.
example::Sides every_verdict() {
  example::Sides sides;
  for (EnvironmentFacts& facts : sides.candidate.environments) facts.soft["mpi"] = "MPICH 5.0.0";
  sides.add(operation(8), 1.001);
  sides.add(operation(64), 1.015);
  sides.add(operation(kLarge), 1.1);
  sides.add(operation(kLarge, "all_gather"), 0.8);
  sides.base.rows.push_back(timed(operation(512), {1e-5, 1.1e-5, 0.9e-5, 1.2e-5, 1.05e-5}));
  sides.candidate.rows.push_back(timed(operation(512), {1.2e-5, 1e-5, 1.3e-5, 0.9e-5, 1.1e-5}));
  sides.base.rows.push_back(timed(operation(1024), five()));
  sides.candidate.rows.push_back(timed(operation(2048), five()));
  sides.base.rows.push_back(timed(operation(4096), {1e-5}));
  sides.candidate.rows.push_back(timed(operation(4096), {1.2e-5}));
  sides.add(operation(8192));
  sides.candidate.rows.back().gaps.push_back(
      {1, RowStatus::wrong, "3 wrong of 4 elements, the first: rank 1 | <b> & \"@x\""});
  sides.add(operation(16384));
  sides.base.rows.back().gaps.push_back({0, RowStatus::failed, "timed\nout"});
  for (LaunchRow& row : sides.candidate.rows) row.bus_bytes = 1000;
  return sides;
}

TEST(ComparisonFormats, AreTheGoldenFiles) {
  const example::Sides sides = every_verdict();
  const Comparison comparison = sides.compared();
  EXPECT_EQ(comparison_text(comparison, false), golden_file("comparison.txt"));
  EXPECT_EQ(comparison_text(comparison, true), golden_file("comparison-explained.txt"));
  EXPECT_EQ(comparison_markdown(comparison, false), golden_file("comparison.md"));
  EXPECT_EQ(comparison_json(comparison), golden_file("comparison.json"));
  EXPECT_EQ(comparison_csv(comparison), golden_file("comparison.csv"));
  EXPECT_EQ(comparison_junit(comparison), golden_file("comparison.xml"));
  EXPECT_EQ(comparison_gha(comparison), golden_file("comparison-gha.json"));
  EXPECT_EQ(comparison_gbench(comparison), golden_file("comparison-gbench.json"));
  EXPECT_EQ(comparison_bmf(comparison), golden_file("comparison-bmf.json"));
}

// github-action-benchmark takes null for 0, and compare.py of Google Benchmark stumbles over NaN.
TEST(ComparisonFormats, NothingThatIsNoMeasurementIsExported) {
  const example::Sides sides = every_verdict();
  const Comparison comparison = sides.compared();
  const auto gha = Json::parse(comparison_gha(comparison));
  for (const auto& entry : gha) {
    EXPECT_GT(entry.at("value").get<double>(), 0);
    EXPECT_NE(entry.at("name"), "all_reduce/float/sum/8192B/ranks:2/mpi");  // wrong data
    EXPECT_NE(entry.at("name"), "all_reduce/float/sum/1024B/ranks:2/mpi");  // not measured
  }
  EXPECT_EQ(comparison_gbench(comparison).find("NaN"), std::string::npos);
}

TEST(ComparisonFormats, AMarkdownCommentFitsAndCountsWhatItLeavesOut) {
  example::Sides sides;
  for (Bytes i = 0; i < 2000; ++i) sides.add(operation(kLarge + 4 * i), 1.1);
  const std::string text = comparison_markdown(sides.compared(), false);
  EXPECT_LE(text.size(), kMostCommentBytes);
  EXPECT_TRUE(text.starts_with("<!-- collbench:compare -->\n## collbench: REGRESSION\n"));
  EXPECT_NE(text.find("lines are left out here"), std::string::npos);
  std::size_t shown = 0;
  for (std::size_t at = 0; (at = text.find("\n| regression | all\\_reduce 16", at)) != text.npos;
       ++at) {
    ++shown;
  }
  const std::size_t at = text.find(" lines are left out");
  const std::size_t left_out = std::stoul(text.substr(text.rfind('\n', at) + 1));
  EXPECT_GT(shown, 100U);
  EXPECT_GE(shown + left_out, 2000U);  // and lines of sections that come later
}

TEST(ComparisonFormats, AtMostTenImprovementsStandOut) {
  example::Sides sides;
  for (Bytes i = 0; i < 12; ++i) sides.add(operation(kLarge + 4 * i), 0.8);
  const std::string text = comparison_markdown(sides.compared(), false);
  const std::string folded = text.substr(text.find("<details>"));
  EXPECT_NE(folded.find("2 other rows"), std::string::npos);
}

TEST(ComparisonFormats, AnEmptyComparisonIsNoGreenReport) {
  const example::Sides sides;
  EXPECT_NE(comparison_junit(sides.compared()).find("errors=\"1\""), std::string::npos);
  EXPECT_TRUE(comparison_text(sides.compared(), false).starts_with("NOTHING COMPARABLE: "));
}

TEST(ComparisonFormats, ARunThatDidNotEndIsAnErrorOfJunit) {
  example::Sides sides;
  sides.add(operation(8));
  EXPECT_NE(comparison_junit(sides.compared()).find("errors=\"0\""), std::string::npos);
  sides.base.launches[0].incomplete = true;
  const std::string text = comparison_junit(sides.compared());
  EXPECT_NE(text.find("name=\"every run came to its end\"><error "), std::string::npos) << text;
  EXPECT_NE(text.find("errors=\"1\""), std::string::npos);
}

TEST(ComparisonFormats, AThresholdHasThreeDigits) {
  example::Sides sides;
  for (const Bytes size : {Bytes(8), Bytes(16), kLarge}) sides.add(operation(size));
  const std::string text = comparison_text(sides.compared(), true);
  EXPECT_NE(text.find("threshold of 4.33 %"), std::string::npos) << text;
  EXPECT_EQ(text.find("4.333"), std::string::npos);
}

TEST(ComparisonFormats, MissingRowsThatAreAllowedAreNoErrorsOfJunit) {
  example::Sides sides;
  sides.add(operation(8));
  sides.base.rows.push_back(timed(operation(16), five()));
  EXPECT_NE(comparison_junit(sides.compared()).find("errors=\"1\""), std::string::npos);
  EXPECT_EQ(comparison_junit(sides.compared({.allow_missing = true})).find("errors=\"1\""),
            std::string::npos);
}

/// A number without bounds in an interval would be no JSON.
TEST(ComparisonFormats, NumbersAreFiniteHoweverWildTheLaunches) {
  example::Sides sides;
  sides.base = example::launches(2, "base");
  sides.candidate = example::launches(2, "new");
  sides.base.rows.push_back(timed(operation(8), {1e-9, 1e9}));
  sides.candidate.rows.push_back(timed(operation(8), {1e9, 1e-9}));
  const std::string text = comparison_json(sides.compared());
  EXPECT_NO_THROW(Json::parse(text));
  EXPECT_EQ(text.find("null"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

template <class Rows>
Json names(const Rows& rows) {
  auto list = Json::array();
  for (const auto& row : rows) list.push_back(row.name);
  return list;
}

TEST(ComparisonSchema, ListsAreThoseOfTheCode) {
  const auto schema = Json::parse(golden_file("../../results/schema/comparison-1.schema.json"));
  const auto at = [&](const char* pointer) { return schema.at(Json::json_pointer(pointer)); };
  EXPECT_EQ(at("/$defs/verdict/enum"), names(kChangeVerdicts));
  EXPECT_EQ(at("/properties/counts/required"), names(kChangeVerdicts));
  EXPECT_EQ(at("/$defs/reason/enum"), names(kChangeReasons));
  EXPECT_EQ(at("/properties/verdict/enum"), names(kOverallVerdicts));
  EXPECT_EQ(at("/$defs/launches/items/properties/status/enum"), names(kRunStatuses));
}

}  // namespace
}  // namespace collbench
