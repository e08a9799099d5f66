// SPDX-License-Identifier: Apache-2.0
#include "analysis/scaling.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace collbench {
namespace {

const model::Degree& kDp = model::kDegrees.front();

StepSeries series(double median_s) {
  StepSeries series;
  series.samples_s = {median_s};
  series.median_s = median_s;
  return series;
}

StepRecord step(int ranks, Count tokens, double step_s, double skeleton_s) {
  StepRecord record;
  record.key.pattern = "zero";
  record.key.ranks = ranks;
  record.key.layout.dp = ranks;
  record.tokens = tokens;
  record.step = series(step_s);
  record.skeleton = series(skeleton_s);
  return record;
}

TEST(Scaling, WeakScalingLosesWhatIsExposed) {
  const ScalingReport report = scaling(
      kDp, std::vector{step(1, 100, 1.0, 1.0), step(2, 200, 1.25, 1.0), step(4, 400, 2.0, 1.0)});
  EXPECT_EQ(report.base_ranks, 1);
  EXPECT_TRUE(report.weak);
  ASSERT_EQ(report.points.size(), 3u);
  EXPECT_DOUBLE_EQ(report.points[0].efficiency, 1);
  EXPECT_FALSE(report.points[0].marginal_efficiency.has_value());
  EXPECT_DOUBLE_EQ(report.points[1].efficiency, 0.8);
  EXPECT_DOUBLE_EQ(report.points[1].tokens_per_s, 160);
  EXPECT_DOUBLE_EQ(report.points[2].efficiency, 0.5);
  EXPECT_DOUBLE_EQ(*report.points[2].marginal_efficiency, 0.625);
  EXPECT_DOUBLE_EQ(*report.points[2].exposed_share, 0.5);
}

TEST(Scaling, StrongScalingKeepsTheWork) {
  const ScalingReport report =
      scaling(kDp, std::vector{step(2, 400, 2.0, 2.0), step(4, 400, 1.25, 1.0)});
  EXPECT_EQ(report.base_ranks, 2);
  EXPECT_FALSE(report.weak);
  EXPECT_DOUBLE_EQ(report.points[1].efficiency, 0.8);
}

TEST(Scaling, WhatWasNotMeasuredIsLeftOut) {
  std::vector<StepRecord> steps = {step(1, 1, 1, 1), step(2, 2, 1, 1), step(4, 4, 1, 1)};
  steps[1].step.reset();
  steps[1].status = RowStatus::skipped;
  steps[1].reason = "no memory";
  const ScalingReport report = scaling(kDp, steps);
  ASSERT_EQ(report.points.size(), 2u);
  EXPECT_DOUBLE_EQ(report.points[1].efficiency, 1);
  EXPECT_EQ(report.axis, "dp");
  EXPECT_EQ(report.points[1].degree, 4);
  EXPECT_EQ(report.left_out, (std::vector<ScalingGap>{{2, 2, "no memory"}}));
}

TEST(Scaling, OnlyStepsOfOneMeasurement) {
  std::vector<StepRecord> steps = {step(1, 1, 1, 1), step(2, 2, 1, 1)};
  steps[1].key.shrink = 4;
  EXPECT_THROW(scaling(kDp, steps), std::logic_error);
  EXPECT_THROW(scaling(kDp, {}), std::logic_error);
  EXPECT_THROW(scaling(kDp, std::vector{step(2, 2, 1, 1), step(2, 2, 1, 1)}), std::logic_error);
}

}  // namespace
}  // namespace collbench
