// SPDX-License-Identifier: Apache-2.0
#include "results/interference_table.h"

#include <gtest/gtest.h>

#include "results/example_document.h"
#include "results/json.h"

namespace collbench {
namespace {

TimeSeries series(double time_s) { return {.samples_s = {time_s}, .median_s = time_s}; }

// The row takes twice its time beside the other, which then takes half as long again.
Document beside() {
  Document document = example::ended();
  Record& row = document.rows.front();
  document.config.interfere = "all_gather:64 KiB@MOD 2";
  row.interference = Interference{.operation = "all_gather",
                                  .groups = "MOD 2",
                                  .message_bytes = 65536,
                                  .beside = series(2 * row.timing->median_s),
                                  .other_alone = series(20e-6),
                                  .other_beside = series(30e-6)};
  return document;
}

TEST(InterferenceTable, HasALineForEachRowBesideAnother) {
  const std::string table = interference_table(beside());
  EXPECT_NE(table.find("each row and all_gather over MOD 2 cost each other"), std::string::npos);
  EXPECT_NE(table.find(" 2.00"), std::string::npos) << table;
  EXPECT_NE(table.find(" 65536      20.00      30.00   1.50 ?\n"), std::string::npos) << table;
  EXPECT_NE(table.find("# ?: within the noise"), std::string::npos) << table;
  EXPECT_NE(table.find("# rows that are not here had nothing beside them"), std::string::npos);
  EXPECT_EQ(interference_table(example::ended()), "");
}

TEST(InterferenceTable, IsOfWhatAFileKeeps) {
  const Document document = beside();
  const std::string json = to_json(document);
  EXPECT_NE(json.find("\"slowdown\":2.0"), std::string::npos) << json;
  EXPECT_NE(json.find("\"slowdown\":1.5"), std::string::npos) << json;
  EXPECT_EQ(document_from_json(json, "FILE"), document);
}

TEST(Interference, WhatTakesNoTimeHasNoSlowdown) {
  Interference interference;
  EXPECT_FALSE(interference.slowdown(0));
  EXPECT_FALSE(interference.other_slowdown());
}

}  // namespace
}  // namespace collbench
