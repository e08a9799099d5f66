// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/page_test_parts.h"
#include "results/example_document.h"

namespace collbench::report {
namespace {

/// Launches of one row, around 100 us times a factor.
std::vector<Run> launches(const std::string& name, double factor) {
  std::vector<Run> runs;
  for (const double us : {100.0, 100.5, 99.6, 100.3, 99.8}) {
    Document document = example::ended();
    document.rows = {example::measured(false)};
    document.rows[0].timing->median_s = us * 1e-6 * factor;
    runs.push_back({fmt::format("{}{}", name, us), document});
    runs.back().document.run.id = runs.back().name;
  }
  return runs;
}

TEST(Page, TwoSidesAreComparedByTheRulesOfCompare) {
  Input input = {.runs = launches("base", 1), .base_runs = 5};
  for (auto& run : launches("new", 1.2)) input.runs.push_back(std::move(run));
  const Page page = make_page(input, "title");
  EXPECT_EQ(ids(page)[1], "changes");
  EXPECT_EQ(ids(page)[2], "sweeps");
  const Section& changes = section(page, "changes");
  EXPECT_EQ(changes.notes.at(0).text, "REGRESSION: 1 row of 5 launches against 5: 1 regression");
  EXPECT_EQ(changes.notes.at(0).tone, Tone::bad);
  const Figure& rows = changes.figures.back();
  const Texts row = row_of(*rows.table, 0);
  EXPECT_EQ(row.at(1), "regression");
  EXPECT_EQ(row.at(4), "+20.0 %");
  const Chart& chart = rows.charts.at(0);
  EXPECT_EQ(chart.categories.at(0),
            "regression: all_reduce, 8 B, float, sum, 2 ranks, 2 hosts, mpi");
  EXPECT_NEAR(chart.series.at(0).spans.at(0).from, 20, 1e-9);
  EXPECT_LT(chart.series.at(1).spans.at(0).from, 20);
  EXPECT_GT(chart.series.at(1).spans.at(0).to, 20);
}

}  // namespace
}  // namespace collbench::report
