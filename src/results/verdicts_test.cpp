// SPDX-License-Identifier: Apache-2.0
#include "results/verdicts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "results/example_document.h"

namespace collbench {
namespace {

Record row(Bytes bytes, double busbw_GBps) {
  Record row = example::measured(false);
  row.requested_bytes = bytes;
  row.key.message_bytes = bytes - bytes % 16;
  row.bus_bandwidth_Bps = busbw_GBps * 1e9;
  return row;
}

Thresholds average(double GBps) {
  Thresholds thresholds;
  thresholds.mean_bus_bandwidth_Bps = GBps * 1e9;
  return thresholds;
}

TEST(Verdicts, WithoutThresholdsThereAreNone) {
  EXPECT_TRUE(judge({}, std::vector{row(8, 1)}).empty());
  EXPECT_EQ(status_of({}), ExitStatus::ok);
}

TEST(Verdicts, TheAverageMayStayATenthBelow) {
  const std::vector rows = {row(8, 8), row(16, 10)};  // 9 on average
  const std::vector<Verdict> met = judge(average(10), rows);
  ASSERT_EQ(met.size(), 1U);
  EXPECT_EQ(met[0], (Verdict{std::nullopt, 9e9, 9e9, Judgement::met}));
  EXPECT_EQ(status_of(met), ExitStatus::ok);
  const std::vector<Verdict> failed = judge(average(10.01), rows);
  EXPECT_EQ(failed[0].judgement, Judgement::not_met);
  EXPECT_EQ(status_of(failed), ExitStatus::verdict_failed);
}

TEST(Verdicts, ASizeIsJudgedByItsSlowestRowAndByItsOwnThreshold) {
  Record in_place = row(33, 7);
  in_place.key.in_place = true;
  const std::vector rows = {row(8, 1), row(33, 8), in_place};
  const std::vector<Verdict> verdicts = judge({std::nullopt, {{33, 7.5e9}, {8, 1e9}}}, rows);
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0], (Verdict{33, 7.5e9, 7e9, Judgement::not_met}));
  EXPECT_EQ(verdicts[1], (Verdict{8, 1e9, 1e9, Judgement::met}));
  EXPECT_EQ(status_of(verdicts), ExitStatus::verdict_failed);
}

TEST(Verdicts, WhatHasNoBusBandwidthIsNeitherMetNorFailed) {
  Record one_rank = row(8, 1);
  one_rank.bus_bandwidth_Bps.reset();
  Record wrong = row(8, 1);
  wrong.status = RowStatus::wrong;
  for (const Record& none : {one_rank, wrong, example::skipped()}) {
    const std::vector<Verdict> verdicts =
        judge({0.1e9, {{none.requested_bytes, 0.1e9}}}, std::vector{none});
    for (const Verdict& verdict : verdicts) {
      EXPECT_EQ(verdict.judgement, Judgement::inconclusive);
      EXPECT_FALSE(verdict.found_Bps);
    }
    EXPECT_EQ(status_of(verdicts), ExitStatus::inconclusive);
  }
}

TEST(Verdicts, OfGroupsTheWorstAverageCounts) {
  std::vector rows = {row(8, 20), row(8, 5), row(8, 1)};
  for (int group = 0; group < 3; ++group) rows[group].key.group = {"MOD 3", group, 3};
  EXPECT_EQ(judge(average(2), rows)[0], (Verdict{std::nullopt, 1.8e9, 1e9, Judgement::not_met}));
  rows[2].bus_bandwidth_Bps.reset();
  EXPECT_EQ(judge(average(2), rows)[0].judgement, Judgement::inconclusive);
  EXPECT_EQ(judge(average(8), rows)[0], (Verdict{std::nullopt, 7.2e9, 5e9, Judgement::not_met}));
  EXPECT_TRUE(judge({}, rows).empty());
}

// Cycles of one row that has 10 GB/s in its first, and a share of that in each.
std::vector<CycleRow> soak(const Record& row, const std::vector<double>& shares) {
  std::vector<CycleRow> cycles;
  for (const double share : shares) {
    cycles.push_back({.cycle = cycles.size() + 1, .started = "", .row = 0});
    cycles.back().median_s = row.timing->median_s / share;
  }
  return cycles;
}

TEST(Verdicts, OfASoakEveryCycleCountsAndOfThousandsEveryStretch) {
  const std::vector rows = {row(8, 10)};
  const auto found_GBps = [&](const std::vector<double>& shares) {
    return *judge({std::nullopt, {{8, 9e9}}}, rows, soak(rows[0], shares))[0].found_Bps / 1e9;
  };
  EXPECT_NEAR(found_GBps({1, 0.95, 0.8, 0.97}), 8, 1e-9);
  std::vector<double> disturbed(6400, 1);  // stretches of 100
  disturbed[3210] = 0.1;
  EXPECT_NEAR(found_GBps(disturbed), 10, 1e-9);
  std::fill(disturbed.begin() + 3200, disturbed.begin() + 3300, 0.5);
  EXPECT_NEAR(found_GBps(disturbed), 5, 1e-9);
}

TEST(Verdicts, OfASoakTheAverageIsThatOfAllCyclesWithRightData) {
  const std::vector rows = {row(8, 10)};
  std::vector<CycleRow> cycles = soak(rows[0], {1, 0.8, 0.6, 0.1});
  cycles[3].status = RowStatus::wrong;
  const Verdict found = judge(average(9), rows, cycles)[0];
  EXPECT_EQ(found.judgement, Judgement::not_met);
  EXPECT_NEAR(*found.found_Bps, 8e9, 1);
  EXPECT_EQ(judge(average(9), rows)[0].judgement, Judgement::met);  // the first cycle alone
}

TEST(Verdicts, OneThatIsNotMetCountsBeforeOneThatIsInconclusive) {
  EXPECT_EQ(status_of(judge({std::nullopt, {{64, 1e9}, {8, 2e9}}}, std::vector{row(8, 1)})),
            ExitStatus::verdict_failed);
}

}  // namespace
}  // namespace collbench
