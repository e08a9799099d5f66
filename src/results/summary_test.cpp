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

}  // namespace
}  // namespace collbench
