// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare_rules.h"

#include <gtest/gtest.h>

#include "analysis/example_launches.h"
#include "base/errors.h"
#include "results/example_steps.h"

namespace collbench {
namespace {

const CompareRules kDefaults = parse_compare_rules(default_compare_rules_text());

/// The defaults with one piece of text in place of another.
std::string error_of(const std::string& from, const std::string& to) {
  std::string text(default_compare_rules_text());
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "the defaults have no " + from;
  text.replace(at, from.size(), to);
  try {
    parse_compare_rules(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

double slower(const MeasurementKey& key) { return threshold_of(kDefaults, key).slower; }

TEST(CompareRules, SmallMessagesMayChangeByMore) {
  EXPECT_DOUBLE_EQ(slower(example::operation(65536)), 0.05);
  EXPECT_DOUBLE_EQ(slower(example::operation(65540)), 0.03);
  EXPECT_EQ(class_of(kDefaults, example::operation(65540)), "mid");
  EXPECT_EQ(class_of(kDefaults, example::operation(16 << 20)), "large");
  EXPECT_EQ(class_of(kDefaults, example::step().key), "step");
  EXPECT_DOUBLE_EQ(slower(example::step().key), 0.03);
}

// pytest-benchmark#219: one threshold does not fit all rows, nor both directions.
TEST(CompareRules, ThresholdsAreBySubjectAndClassAndDirection) {
  std::string text(default_compare_rules_text());
  const std::string first = "{\"size_class\": \"small\"";
  text.replace(
      text.find(first), 0,
      R"({"subject": "broadcast", "size_class": "large", "slower_pct": 8, "faster_pct": 1},)");
  const CompareRules rules = parse_compare_rules(text);
  EXPECT_DOUBLE_EQ(threshold_of(rules, example::operation(1 << 30, "broadcast")).slower, 0.08);
  EXPECT_DOUBLE_EQ(threshold_of(rules, example::operation(1 << 30, "broadcast")).faster, 0.01);
  EXPECT_DOUBLE_EQ(threshold_of(rules, example::operation(8, "broadcast")).slower, 0.05);
  EXPECT_DOUBLE_EQ(threshold_of(rules, example::operation(1 << 30)).slower, 0.03);
}

TEST(CompareRules, WhatIsUnknownIsRefusedByPlace) {
  EXPECT_EQ(error_of("\"row_false", "\"row_falls\": 1, \"row_false"),
            "/row_falls: unknown; there are schema, schema_version, size_classes, thresholds, "
            "row_false_discovery_pct, family_false_discovery_pct, least_launch_noise_pct");
  EXPECT_EQ(error_of("\"slower_pct\": 5", "\"slower\": 5"),
            "/thresholds/0/slower: unknown; there are subject, size_class, slower_pct, faster_pct");
  EXPECT_EQ(error_of("collbench.compare-rules", "collbench.results"),
            "/schema: must be \"collbench.compare-rules\"");
  EXPECT_EQ(error_of("\"1.0\"", "\"2.0\""), "/schema_version: must be \"1.0\"");
}

TEST(CompareRules, WhatCannotBeMeantIsRefused) {
  EXPECT_EQ(error_of("\"slower_pct\": 3", "\"slower_pct\": 0"),
            "/thresholds/1/slower_pct: 0 must be above 0 and at most 1000 percent");
  EXPECT_EQ(error_of("\"size_class\": \"small\"", "\"size_class\": \"smal\""),
            "/thresholds/0/size_class: \"smal\" is none of size_classes, nor \"step\"");
  EXPECT_EQ(error_of("{\"slower_pct\": 3", "{\"subject\": \"all_reduce\", \"slower_pct\": 3"),
            "/thresholds: the last threshold must be without subject and size_class, for all other "
            "rows");
  EXPECT_EQ(error_of("{\"size_class\": \"small\", ", "{"),
            "/thresholds/1: stands after a threshold without subject and size_class, which fits "
            "every row");
  EXPECT_EQ(error_of("16777215", "65536"),
            "/size_classes/1: its most_bytes must be above those of the class before it");
  EXPECT_EQ(error_of("{\"name\": \"large\"}", "{\"name\": \"mid\"}"),
            "/size_classes/2: its name must be one of its own, and not \"step\", the class of "
            "training steps");
  EXPECT_EQ(error_of(",\n    {\"name\": \"large\"}", ""),
            "/size_classes: the last class must be without most_bytes, for all larger sizes");
  EXPECT_EQ(error_of("\"row_false_discovery_pct\": 2", "\"row_false_discovery_pct\": 51"),
            "/row_false_discovery_pct: 51 must be above 0 and at most 50 percent");
}

TEST(CompareRules, ASubjectThatNothingHasIsRefused) {
  CompareRules rules = parse_compare_rules(default_compare_rules_text());
  EXPECT_NO_THROW(require_subjects(rules, {}));
  rules.thresholds.insert(rules.thresholds.begin() + 1, {.subject = "all_gater", .size_class = ""});
  EXPECT_NO_THROW(require_subjects(rules, {"all_gater"}));
  try {
    require_subjects(rules, {"all_gather", "zero"});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "--rules: /thresholds/1/subject: 'all_gater' is no collective or scheme; choose "
                 "from all_gather, zero");
  }
}

}  // namespace
}  // namespace collbench
