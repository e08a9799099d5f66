// SPDX-License-Identifier: Apache-2.0
// Several runs in one text, and blocks in another order than ours.
#include <gtest/gtest.h>

#include "base/errors.h"
#include "results/example_document.h"
#include "results/json.h"

namespace collbench {
namespace {

TEST(Json, CyclesMayStandBeforeTheirRows) {
  std::string text = to_json(example::soak());
  const std::size_t rows = text.find("  \"rows\": ["), cycles = text.find("  \"cycles\": [");
  const std::size_t summary = text.find("  \"summary\": {");
  ASSERT_TRUE(rows < cycles && cycles < summary && summary < text.size());
  text = text.substr(0, rows) + text.substr(cycles, summary - cycles) +
         text.substr(rows, cycles - rows) + text.substr(summary);
  EXPECT_EQ(document_from_json(text, "FILE"), example::soak());
}

TEST(JsonSet, RunsAreReadAsTheyWereWritten) {
  Document killed = example::started();
  killed.rows = {example::measured(false), example::measured(true)};
  killed.incomplete = true;
  const std::vector<Document> runs = {example::ended(), killed, example::soak()};
  EXPECT_EQ(documents_from_json(set_to_json(runs), "FILE"), runs);
  EXPECT_EQ(documents_from_json(to_json(example::soak()), "FILE"), std::vector{example::soak()});
}

TEST(JsonSet, WhatIsWrongIsNamedByItsPlace) {
  const auto error_of_set = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.rfind(from);
    if (at == std::string::npos) return "no " + from;
    try {
      documents_from_json(text.replace(at, from.size(), to), "FILE");
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::string text = set_to_json(std::vector{example::ended(), example::soak()});
  EXPECT_EQ(error_of_set(text, "\"median\":285.215,\"ci95\"", "\"median\":\"285\",\"ci95\""),
            "FILE: /runs/1/rows/1/time_us/median: expected a number, found a string");
  EXPECT_EQ(error_of_set(text, "\"row\":0", "\"row\":2"),
            "FILE: /runs/1/cycles/4/row: names no row of the list");
  EXPECT_EQ(error_of_set(text, "\"schema_version\": \"1.1\"", "\"schema_version\": \"2.0\""),
            "FILE: /runs/1/schema_version: 2.0 is a format that collbench 0.1.0, which reads 1.x, "
            "cannot read; use the collbench that wrote it, or a later one");
  EXPECT_EQ(error_of_set(text, "\"schema_version\": \"1.0\"", "\"schema_version\": \"2.0\"")
                .substr(0, 42),
            "FILE: /schema_version: 2.0 is a format tha");
  EXPECT_EQ(error_of_set(text, "\"runs\"", "\"other\""), "FILE: /runs: missing");
  const std::string nothing = set_to_json({});
  EXPECT_EQ(error_of_set(nothing, "[", "["), "FILE: /runs: expected at least one run");
}

}  // namespace
}  // namespace collbench
