// SPDX-License-Identifier: Apache-2.0
#include "results/cycle_summary.h"

#include <gtest/gtest.h>

#include <functional>

#include "results/example_document.h"

namespace collbench {
namespace {

// Two rows, whose medians in a cycle, counted from 0, are functions of it.
std::vector<CycleRow> soak(std::uint64_t cycles, const std::function<double(double)>& row0_s,
                           const std::function<double(double)>& row1_s) {
  std::vector<CycleRow> rows;
  for (std::uint64_t i = 0; i < cycles; ++i) {
    const auto at = static_cast<double>(i);
    rows.push_back({.cycle = i + 1, .started = "t" + std::to_string(i + 1), .row = 0});
    rows.back().median_s = row0_s(at);
    rows.push_back({.cycle = i + 1, .started = "t" + std::to_string(i + 1), .row = 1});
    rows.back().median_s = row1_s(at);
  }
  return rows;
}

double steady(double) { return 1e-3; }

// Scatters by a tenth without a trend: 1.0, 1.1, 0.9, 1.05, 0.95 and again.
double noisy(double cycle) {
  constexpr double kFactors[] = {1.0, 1.1, 0.9, 1.05, 0.95};
  return 1e-3 * kFactors[static_cast<std::size_t>(cycle) % 5];
}

TEST(CycleSummary, OfNoCycles) {
  const CycleSummary summary = summarize_cycles({});
  EXPECT_EQ(summary.begun, 0U);
  EXPECT_TRUE(summary.drifts.empty());
  EXPECT_TRUE(cycle_ranges({}, 20).empty());
}

TEST(CycleSummary, CountsWrongDataOfAllCyclesAndKeepsTheFirst) {
  std::vector<CycleRow> cycles = soak(9, steady, steady);
  for (const std::size_t wrong : {9U, 12U}) cycles[wrong].status = RowStatus::wrong;
  const CycleSummary summary = summarize_cycles(cycles);
  EXPECT_EQ(summary.begun, 9U);
  EXPECT_EQ(summary.wrong, 2U);
  EXPECT_EQ(summary.first_wrong->cycle, 5U);
  EXPECT_EQ(summary.first_wrong->row, 1U);
}

TEST(CycleSummary, FindsTheRowThatRisesAndTheOneThatFalls) {
  const auto rising = [](double cycle) { return 1e-3 * (1 + 0.01 * cycle); };
  const auto falling = [](double cycle) { return 1e-3 * (1 - 0.01 * cycle); };
  EXPECT_EQ(summarize_cycles(soak(8, steady, rising)).drifts.size(), 1U);
  const auto drifts = summarize_cycles(soak(10, falling, rising)).drifts;
  ASSERT_EQ(drifts.size(), 2U);
  EXPECT_EQ(drifts[0].row, 0U);
  EXPECT_NEAR(drifts[0].change, 0.93 / 0.98 - 1, 1e-12);
  EXPECT_NEAR(drifts[1].change, 1.07 / 1.02 - 1, 1e-12);
}

TEST(CycleSummary, NeitherScatterNorASmallTrendNorSevenCyclesAreDrift) {
  const auto small = [](double cycle) { return 1e-3 * (1 + 0.0005 * cycle); };
  const auto rising = [](double cycle) { return 1e-3 * (1 + 0.1 * cycle); };
  EXPECT_TRUE(summarize_cycles(soak(20, noisy, small)).drifts.empty());
  EXPECT_TRUE(summarize_cycles(soak(7, rising, steady)).drifts.empty());
}

TEST(CycleSummary, ManyCyclesAreJudgedByMediansOfNeighbours) {
  const auto rising = [](double cycle) { return 1e-3 * (1 + 0.00001 * cycle); };
  const auto spiked = [](double cycle) { return static_cast<int>(cycle) % 10 == 9 ? 1.0 : 1e-3; };
  const auto drifts = summarize_cycles(soak(10'000, rising, spiked)).drifts;
  ASSERT_EQ(drifts.size(), 1U);
  EXPECT_EQ(drifts[0].row, 0U);
  EXPECT_NEAR(drifts[0].change, 1.075 / 1.025 - 1, 1e-3);
}

TEST(CycleSummary, TimesOfWrongDataAndOfZeroTellNothing) {
  std::vector<CycleRow> cycles = soak(
      20, [](double cycle) { return 1e-3 * (1 + cycle); }, [](double) { return 0; });
  for (std::size_t i = 0; i < cycles.size(); i += 2) cycles[i].status = RowStatus::wrong;
  EXPECT_TRUE(summarize_cycles(cycles).drifts.empty());
  for (const CycleRange& range : cycle_ranges(cycles, 20)) {
    EXPECT_EQ(range.fastest, std::nullopt);
    EXPECT_EQ(range.wrong, 1U);
  }
}

TEST(CycleRanges, CompareWithTheFirstCycleRowByRow) {
  const auto ranges = cycle_ranges(example::soak().cycles, 20);
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[0], (CycleRange{1, 1, "2026-03-01T12:00:01Z", 1.0, 1.0, 0}));
  EXPECT_EQ(ranges[1],
            (CycleRange{2, 2, "2026-03-01T12:00:05Z", 299.5 / 285.215, 299.5 / 285.215, 1}));
  EXPECT_EQ(ranges[2].first, 3U);
  EXPECT_NEAR(*ranges[2].fastest, 270 / 285.215, 1e-12);
}

TEST(CycleRanges, LoseNoCycleWhereThereAreMany) {
  std::vector<CycleRow> cycles = soak(
      41, [](double cycle) { return 1e-3 * (1 + cycle); }, steady);
  cycles[2 * 40].status = RowStatus::wrong;
  const auto ranges = cycle_ranges(cycles, 20);
  ASSERT_EQ(ranges.size(), 14U);  // of 3 cycles each
  EXPECT_EQ(ranges[0], (CycleRange{1, 3, "t1", 1.0, 3.0, 0}));
  EXPECT_EQ(ranges[13].first, 40U);
  EXPECT_EQ(ranges[13].last, 41U);
  EXPECT_EQ(ranges[13].wrong, 1U);
  EXPECT_EQ(cycle_ranges(cycles, 41).size(), 41U);
}

}  // namespace
}  // namespace collbench
