// SPDX-License-Identifier: Apache-2.0
#include "results/row_flags.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

using Flags = std::vector<std::string>;

// 60 samples around 1 ms that differ by at most 0.4 % and do not resemble their neighbours.
Timing steady() {
  Timing timing;
  timing.stop_reason = "target";
  for (int i = 0; i < 60; ++i) timing.samples_s.push_back(1e-3 + 1e-6 * (i * 37 % 5));
  return timing;
}

TEST(RowFlags, ASteadyRowHasNone) { EXPECT_EQ(flags_of(steady()), Flags{}); }

TEST(RowFlags, AMedianThatIsNotKnownWellEnoughIsImprecise) {
  Timing timing = steady();
  timing.stop_reason = "max_time";
  EXPECT_EQ(flags_of(timing), Flags{"imprecise"});
}

TEST(RowFlags, TimesThatRiseDrift) {
  Timing timing = steady();
  for (std::size_t i = 0; i < timing.samples_s.size(); ++i) {
    timing.samples_s[i] *= 1 + 0.1 * static_cast<double>(i) / 60;
  }
  const Flags flags = flags_of(timing);
  EXPECT_EQ(flags.front(), "drift");
}

TEST(RowFlags, ASlowStartIsSaid) {
  Timing timing = steady();
  for (std::size_t i = 0; i < 10; ++i) timing.samples_s[i] *= 2;
  const Flags flags = flags_of(timing);
  EXPECT_NE(std::find(flags.begin(), flags.end(), "start_up"), flags.end());
}

TEST(RowFlags, SamplesFarOffAreOutliers) {
  Timing timing = steady();
  for (const std::size_t i : {12U, 30U, 41U, 55U}) timing.samples_s[i] *= 3;
  EXPECT_EQ(flags_of(timing), Flags{"outliers"});
}

TEST(RowFlags, ARankThatIsLastTooOftenAndSlowIsAStraggler) {
  Timing timing = steady();
  timing.rank_last_count = {5, 5, 45, 5};
  timing.rank_median_s = {1e-3, 1e-3, 1.05e-3, 1e-3};
  EXPECT_EQ(flags_of(timing), Flags{"straggler"});
  timing.rank_median_s[2] = 1.01e-3;
  EXPECT_EQ(flags_of(timing), Flags{});
  timing.rank_median_s[2] = 1.05e-3;
  timing.rank_last_count = {14, 14, 18, 14};
  EXPECT_EQ(flags_of(timing), Flags{});
}

TEST(RowFlags, AFewSamplesSayNothingOfTheirOrder) {
  Timing timing;
  timing.stop_reason = "fixed";
  timing.samples_s = {5e-3, 1e-3, 1e-3};
  EXPECT_EQ(flags_of(timing), Flags{});
}

TEST(ExplainFlags, OneLinePerFlagWithItsRowsAndAdvice) {
  std::vector<Record> rows(3);
  for (Record& row : rows) row.timing.emplace();
  rows[0].flags = {"drift"};
  rows[2].flags = {"drift", "oversubscribed", "imprecise"};
  SamplingConfig sampling;
  sampling.target_half_width = 0.005;
  sampling.max_time_s = 15;
  const auto lines = explain_flags(rows, sampling);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].find("oversubscribed (1 of 3 rows): more ranks than cores"), 0U);
  EXPECT_EQ(lines[1].find("imprecise (1 of 3 rows): the median is not known to 0.5 % after 15 s: "),
            0U);
  EXPECT_EQ(lines[2].find("drift (2 of 3 rows): "), 0U);
}

TEST(RowFlags, ARowThatItsHostHoldsUpIsHostBound) {
  Timing timing;
  timing.samples_s.assign(30, 1e-6);
  EXPECT_TRUE(flags_of(timing).empty());
  timing.enqueue_share = 0.89;
  EXPECT_TRUE(flags_of(timing).empty());
  timing.enqueue_share = 0.9;
  EXPECT_EQ(flags_of(timing), std::vector<std::string>{"host_bound"});
}

}  // namespace
}  // namespace collbench
