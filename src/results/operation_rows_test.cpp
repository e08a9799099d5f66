// SPDX-License-Identifier: Apache-2.0
#include "results/operation_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "results/example_document.h"
#include "results/spread_table.h"
#include "results/table.h"

namespace collbench {
namespace {

Record made() {
  Record row = example::measured(false);
  row.key.collective = "comm_init";
  row.key.mode = operation_modes::repeated.name;
  row.key.message_bytes = row.key.count = row.requested_bytes = 0;
  row.key.op.reset();
  row.algorithm_bandwidth_Bps.reset();
  row.bus_bandwidth_Bps.reset();
  row.check.reset();
  return row;
}

Record not_made() {
  Record row = made();
  row.key.collective = "comm_shrink";
  row.timing.reset();
  row.status = RowStatus::skipped;
  row.reason = "there is no such call";
  return row;
}

TEST(OperationRows, ALineNamesTheOperationAndItsFastestAndSlowestRank) {
  // clang-format off
  EXPECT_EQ(operation_titles() + operation_line(made()),
            "# operation               mode              size         time      +-      n      fastest      slowest    algbw    busbw  #wrong\n"
            "#                                            (B)         (us)     (%)                (us)         (us)   (GB/s)   (GB/s)\n"
            // (300 - 281) / 2 / 285.215
            "comm_init                 repeated             0       285.21    3.33      6       280.50       285.21      N/A      N/A     N/A\n");
  // clang-format on
}

TEST(OperationRows, BandwidthsAndWrongElementsWhereThereAreAny) {
  Record row = made();
  row.key.message_bytes = 8;
  row.algorithm_bandwidth_Bps = 1.5e9;
  row.bus_bandwidth_Bps = 3e9;
  row.check = DataCheck{.checked_elements = 4, .wrong_elements = 0, .first_wrong = ""};
  EXPECT_TRUE(operation_line(row).ends_with("     1.50     3.00       0\n"));
}

TEST(OperationRows, WhatWasNotMeasuredIsALineThatSaysWhy) {
  EXPECT_EQ(operation_line(not_made()),
            "# comm_shrink repeated 0 B: skipped: there is no such call\n");
}

TEST(OperationRows, WrongDataHaveBothLines) {
  Record row = made();
  row.status = RowStatus::wrong;
  row.reason = "1 wrong of 4 elements";
  const std::string text = operation_line(row);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_NE(text.find("\n# comm_init repeated 0 B: wrong: 1 wrong of 4 elements\n"),
            std::string::npos);
}

TEST(OperationRows, OnlyModesOfMeasuredRowsAreExplained) {
  Record cold = not_made();
  cold.key.mode = operation_modes::cold.name;
  EXPECT_EQ(explain_modes(std::vector{made(), made(), cold}),
            "# mode repeated: on a communicator that is made anew each time\n");
}

TEST(OperationRows, ADocumentOfThemHasTheirTableAndNoAverage) {
  Document document = example::ended();
  document.config.mode = kModeOfEachRow;
  document.rows = {made(), not_made()};
  const std::string text =
      table_header(document) + table_rows(document.rows) + table_footer(document);
  EXPECT_NE(text.find("\ncomm_init   "), std::string::npos);
  EXPECT_NE(text.find("# comm_shrink"), std::string::npos);
  EXPECT_NE(text.find("# mode repeated: "), std::string::npos);
  EXPECT_EQ(text.find("out-of-place"), std::string::npos);
  EXPECT_EQ(text.find("Avg bus"), std::string::npos);
  EXPECT_EQ(text.find("Peak bus"), std::string::npos);
  EXPECT_EQ(spread_table(document.rows), "");
}

TEST(OperationRows, ThoseOfCollectivesAreNone) {
  EXPECT_TRUE(is_of_operation(made().key));
  EXPECT_FALSE(is_of_operation(example::measured(false).key));
}

}  // namespace
}  // namespace collbench
