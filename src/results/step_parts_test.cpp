// SPDX-License-Identifier: Apache-2.0
// Tests of what follows from the times of a step, by numbers that are easy to subtract by hand.
#include "results/step_parts.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

StepSeries of(double median_s) { return {.samples_s = {median_s}, .median_s = median_s}; }

/// 20 s: 16 of computing, 1 of bubble, 3 exposed of 8 of communication, which has 2 of latency.
StepRecord record() {
  StepRecord record;
  record.step = of(20);
  record.computing = of(16);
  record.skeleton = of(17);
  record.communication = of(10);
  record.latency = of(2);
  record.sent_bytes = 1;
  record.tokens = 4000;
  record.prediction = StepPrediction{.step_s = 19};
  return record;
}

TEST(StepParts, ByHand) {
  const StepRecord r = record();
  EXPECT_EQ(bubble_s(r), 1);
  EXPECT_EQ(exposed_s(r), 3);
  EXPECT_EQ(exposed_share(r), 0.15);
  EXPECT_EQ(overlap_efficiency(r), 0.625);
  EXPECT_EQ(tokens_per_s(r), 200);
  EXPECT_NEAR(*prediction_error(r), -0.05, 1e-12);
}

TEST(StepParts, TheStepIsTheirSum) {
  const StepRecord r = record();
  EXPECT_EQ(r.computing->median_s + *bubble_s(r) + *exposed_s(r), r.step->median_s);
}

TEST(StepParts, WhatNoiseMakesNegativeStaysSo) {
  StepRecord r = record();
  r.skeleton = of(20.5);
  r.computing = of(21);
  EXPECT_EQ(exposed_s(r), -0.5);
  EXPECT_EQ(bubble_s(r), -0.5);
  EXPECT_EQ(exposed_share(r), -0.025);
  EXPECT_EQ(overlap_efficiency(r), 1.0625);
}

TEST(StepParts, CommunicationMayDisturbMoreThanItTakes) {
  StepRecord r = record();
  r.step = of(29);
  EXPECT_EQ(overlap_efficiency(r), -0.5);
}

// Of 8 s half are latency, which the skeleton has, too.
TEST(StepParts, NothingIsHiddenWhereComputingWaitsForEveryMessage) {
  StepRecord r = record();
  r.communication = of(8);
  r.latency = of(4);
  r.skeleton = of(16 + 4);
  r.step = of(16 + 8);
  EXPECT_EQ(overlap_efficiency(r), 0);
}

TEST(StepParts, WhereLatencyIsAllThereIsNothingCanBeHidden) {
  StepRecord r = record();
  r.communication = of(2);
  EXPECT_EQ(overlap_efficiency(r), std::nullopt);
}

TEST(StepParts, NothingIsMadeOfWhatWasNotMeasured) {
  StepRecord r = record();
  r.skeleton.reset();
  EXPECT_EQ(bubble_s(r), std::nullopt);
  EXPECT_EQ(exposed_s(r), std::nullopt);
  EXPECT_EQ(exposed_share(r), std::nullopt);
  EXPECT_EQ(overlap_efficiency(r), std::nullopt);
  r = record();
  r.step.reset();
  EXPECT_EQ(tokens_per_s(r), std::nullopt);
  EXPECT_EQ(prediction_error(r), std::nullopt);
  r = record();
  r.communication.reset();
  EXPECT_EQ(overlap_efficiency(r), std::nullopt);
  r = record();
  r.latency.reset();
  EXPECT_EQ(overlap_efficiency(r), std::nullopt);
  r.prediction.reset();
  EXPECT_EQ(prediction_error(r), std::nullopt);
}

TEST(StepParts, AStepThatIsMeasuredFurtherTakesItsOwnPlace) {
  std::vector<StepRecord> steps;
  StepRecord r = record();
  add_step(steps, r);
  r.status = RowStatus::wrong;
  add_step(steps, r);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].status, RowStatus::wrong);
  r.key.ranks = 2;
  add_step(steps, r);
  EXPECT_EQ(steps.size(), 2u);
}

TEST(StepParts, NothingIsHiddenWhereNothingComputes) {
  StepRecord r = record();
  r.key.compute = "none";
  EXPECT_EQ(overlap_efficiency(r), std::nullopt);
}

TEST(StepParts, NothingIsHiddenWhereNothingIsSent) {
  StepRecord r = record();
  r.sent_bytes = 0;
  EXPECT_EQ(overlap_efficiency(r), std::nullopt);
  EXPECT_EQ(exposed_s(r), 3);
}

TEST(StepParts, NoDivisionByATimeOfZero) {
  StepRecord r = record();
  r.step = r.communication = of(0);
  EXPECT_EQ(exposed_share(r), std::nullopt);
  EXPECT_EQ(overlap_efficiency(r), std::nullopt);
  EXPECT_EQ(tokens_per_s(r), std::nullopt);
  EXPECT_EQ(prediction_error(r), std::nullopt);
}

}  // namespace
}  // namespace collbench
