// SPDX-License-Identifier: Apache-2.0
#include "results/summary.h"

#include <gtest/gtest.h>

#include "results/example_document.h"

namespace collbench {
namespace {

TEST(Summary, CountsEveryKindOfRow) {
  const Summary summary = summarize(example::ended().rows);
  EXPECT_EQ(summary.rows, 7U);
  EXPECT_EQ(summary.ok, 4U);
  EXPECT_EQ(summary.wrong, 1U);
  EXPECT_EQ(summary.skipped, 1U);
  EXPECT_EQ(summary.failed, 1U);
  EXPECT_EQ(summary.measured, 5U);
  EXPECT_EQ(summary.checked, 4U);
  EXPECT_EQ(summary.wrong_elements, 3U);
}

TEST(Summary, MeanBusBandwidthIsOfRightRowsThatHaveOne) {
  Record slow = example::measured(false);
  slow.bus_bandwidth_Bps = 1e9;
  Record fast = slow;
  fast.bus_bandwidth_Bps = 3e9;
  Record wrong = example::wrong();
  wrong.bus_bandwidth_Bps = 1e12;
  const std::vector<Record> rows = {slow, wrong, example::one_rank(), fast, example::skipped()};
  EXPECT_EQ(summarize(rows).mean_bus_bandwidth_Bps, 2e9);
  EXPECT_EQ(summarize(std::vector{wrong}).mean_bus_bandwidth_Bps, std::nullopt);
  EXPECT_EQ(summarize(std::vector{example::one_rank()}).mean_bus_bandwidth_Bps, std::nullopt);
}

TEST(Summary, GroupsOfRanksAreNeverAveragedTogether) {
  std::vector<Record> rows = {example::measured(false), example::measured(true)};
  rows[0].key.group = {"MOD 2", 0, 2};
  rows[1].key.group = {"MOD 2", 1, 2};
  rows[0].bus_bandwidth_Bps = 1e9;
  rows[1].bus_bandwidth_Bps = 3e9;
  EXPECT_EQ(summarize(rows).rows, 2U);
  EXPECT_EQ(summarize(rows).mean_bus_bandwidth_Bps, std::nullopt);
  const std::vector<GroupSummary> groups = summarize_groups(rows);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1].group, rows[1].key.group);
  EXPECT_EQ(groups[1].summary, summarize(std::vector{rows[1]}));
  EXPECT_EQ(groups[0].summary.mean_bus_bandwidth_Bps, 1e9);
  EXPECT_EQ(groups[1].summary.mean_bus_bandwidth_Bps, 3e9);
  EXPECT_TRUE(summarize_groups(example::ended().rows).empty());
}

}  // namespace
}  // namespace collbench
