// SPDX-License-Identifier: Apache-2.0
#include "measure/progress.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

TEST(StepLimit, NeverBelowTenTimesTheEstimateAndOffWhenOff) {
  EXPECT_EQ(step_limit_s(120, 1), 120);
  EXPECT_EQ(step_limit_s(120, 100), 1000);
  EXPECT_EQ(step_limit_s(0, 100), 0);
}

TEST(StepLimit, LargeMessagesHaveTimeWhereTheirSpeedIsUnknown) {
  EXPECT_EQ(step_limit_s(120, slow_move_s(1ULL << 30)), 120);
  EXPECT_GT(step_limit_s(120, slow_move_s(4ULL << 30)), 400);
}

TEST(Progress, AStepBeginsWhenItIsEntered) {
  ManualClock clock;
  Progress progress(clock);
  clock.advance(3);
  progress.enter("block 1", 2);
  clock.advance(1);
  EXPECT_EQ(progress.step().what, "block 1");
  EXPECT_EQ(progress.step().entered_s, 3);
  EXPECT_EQ(progress.step().limit_s, 2);
  progress.enter("block 1", 2);
  EXPECT_EQ(progress.step().entered_s, 4);
}

TEST(Progress, OfRankThreadsTheOneThatIsLateFirstCounts) {
  ManualClock clock;
  Progress process(clock);
  process.enter("waiting for rank threads", 0);
  {
    Progress second(process, 5);
    Progress first(process, 4);
    EXPECT_EQ(process.step().what, "waiting for rank threads");
    first.enter("block 1", 10);
    clock.advance(1);
    second.enter("block 2", 5);
    EXPECT_EQ(process.step().what, "block 2");
    EXPECT_EQ(process.step().rank, 5);
    EXPECT_EQ(process.step().entered_s, 1);
    clock.advance(1);
    second.enter("block 3", 9);
    EXPECT_EQ(process.step().what, "block 1");
    EXPECT_EQ(process.step().rank, 4);
    EXPECT_EQ(second.step().rank, 5);
  }
  EXPECT_EQ(process.step().what, "waiting for rank threads");
  EXPECT_EQ(process.step().rank, std::nullopt);
}

TEST(Progress, ARankThreadBeginsInTheStepOfItsProcess) {
  ManualClock clock;
  Progress process(clock);
  process.enter("set-up", 300);
  clock.advance(1);
  const Progress thread(process, 4);
  process.enter("waiting for rank threads", 0);
  EXPECT_EQ(process.step().what, "set-up");
  EXPECT_EQ(process.step().entered_s, 0);
  EXPECT_EQ(process.step().limit_s, 300);
  EXPECT_EQ(process.step().rank, 4);
}

}  // namespace
}  // namespace collbench
