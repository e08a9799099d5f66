// SPDX-License-Identifier: Apache-2.0
#include "results/cycle_table.h"

#include <gtest/gtest.h>

#include "results/example_document.h"
#include "results/table.h"

namespace collbench {
namespace {

TEST(CycleTable, SaysWhenAndHowFastBesideTheFirst) {
  EXPECT_EQ(cycle_table({}), "");
  EXPECT_EQ(cycle_table(example::soak().cycles),
            "# Cycles: medians over those of the first cycle, of the row that is fastest and "
            "slowest by that\n"
            "#       cycle                 began  fastest  slowest  #wrong\n"
            "#           1  2026-03-01T12:00:01Z    1.000    1.000       0\n"
            "#           2  2026-03-01T12:00:05Z    1.050    1.050       1\n"
            "#           3  2026-03-01T12:00:09Z    0.947    0.947       0\n"
            "#\n");
}

TEST(CycleTable, FooterNamesTheFirstWrongDataWithItsCycle) {
  EXPECT_EQ(cycle_lines(example::ended()), "");
  EXPECT_EQ(
      cycle_lines(example::soak()),
      "# Cycles begun         : 3\n"
      "# Wrong data over all cycles: 1, the first in cycle 2, row 1 (8 B, float sum, in place): "
      "3 wrong of 4 elements, the first: rank 1, byte 4: expected 3, found 0\n");
}

TEST(CycleTable, WrongDataOfAnyCycleIsOutOfBounds) {
  EXPECT_NE(table_footer(example::soak()).find("# Out of bounds values : 1 FAILED\n"),
            std::string::npos);
  Document split = example::split();
  split.cycles = {{.cycle = 2, .started = "t", .row = 1, .status = RowStatus::wrong}};
  const std::string footer = table_footer(split);
  EXPECT_NE(footer.find("# group 0 of 2\n# Out of bounds values : 0 OK\n"), std::string::npos);
  EXPECT_NE(footer.find("# group 1 of 2\n# Out of bounds values : 1 FAILED\n"), std::string::npos);
}

TEST(CycleTable, WrongDataOfTheFirstCycleCountsOnce) {
  Document document = example::soak();
  document.rows = {example::wrong()};
  document.cycles = {{.cycle = 1, .started = "t", .row = 0, .status = RowStatus::wrong}};
  EXPECT_NE(table_footer(document).find("# Out of bounds values : 1 FAILED\n"), std::string::npos);
}

TEST(CycleTable, FooterNamesRowsThatDrift) {
  Document document = example::soak();
  document.rows.assign(10, example::measured(false));
  document.cycles.clear();
  for (std::uint64_t cycle = 1; cycle <= 8; ++cycle) {
    for (std::size_t row = 0; row < 10; ++row) {
      document.cycles.push_back({.cycle = cycle, .started = "t", .row = row});
      document.cycles.back().median_s = static_cast<double>(cycle + 10);
    }
  }
  const std::string text = cycle_lines(document);
  EXPECT_NE(text.find("# drift between cycles (10 of 10 rows): medians rose or fell by over 2 %"),
            std::string::npos);
  EXPECT_NE(text.find("#   row 7 (8 B, float sum, out of place): +32.0 %\n#   2 more\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace collbench
