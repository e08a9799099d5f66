// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_progress.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

TEST(SweepProgress, ALineAtMostEvery30Seconds) {
  ManualClock clock;
  SweepProgress progress(ProgressChoice::plain, "all_reduce_perf", 36, clock);
  clock.advance(29.9);
  EXPECT_EQ(progress.row_done(), "");
  clock.advance(0.2);
  EXPECT_EQ(progress.row_done(), "all_reduce_perf: 2 of 36 rows after 30 s\n");
  clock.advance(29.9);
  EXPECT_EQ(progress.row_done(), "");
  clock.advance(0.2);
  EXPECT_EQ(progress.row_done(), "all_reduce_perf: 4 of 36 rows after 60 s\n");
  EXPECT_EQ(progress.end(), "");
}

TEST(SweepProgress, ABarIsDrawnAnewAndTakenAway) {
  ManualClock clock;
  SweepProgress progress(ProgressChoice::bar, "all_reduce_perf", 4, clock);
  EXPECT_EQ(progress.row_done(), "");
  EXPECT_EQ(progress.end(), "");
  clock.advance(1);
  EXPECT_EQ(progress.row_done(), "\r[###############...............] 2 of 4 rows, 1 s\x1b[K");
  clock.advance(1);
  progress.row_done();
  clock.advance(1);
  EXPECT_EQ(progress.row_done(), "\r[##############################] 4 of 4 rows, 3 s\x1b[K");
  EXPECT_EQ(progress.end(), "\r\x1b[K");
}

TEST(SweepProgress, NoneIsSilent) {
  ManualClock clock;
  SweepProgress progress(ProgressChoice::none, "all_reduce_perf", 4, clock);
  clock.advance(1000);
  EXPECT_EQ(progress.row_done() + progress.end(), "");
}

TEST(SweepProgress, ABarWantsATerminalOfItsOwn) {
  EXPECT_EQ(settled(ProgressChoice::automatic, true, false), ProgressChoice::bar);
  EXPECT_EQ(settled(ProgressChoice::automatic, true, true), ProgressChoice::plain);
  EXPECT_EQ(settled(ProgressChoice::automatic, false, false), ProgressChoice::plain);
  EXPECT_EQ(settled(ProgressChoice::bar, false, false), ProgressChoice::bar);
  EXPECT_EQ(settled(ProgressChoice::none, true, false), ProgressChoice::none);
}

TEST(SweepProgress, SaysNoNumberOfRowsWhereTimeDecides) {
  ManualClock clock;
  SweepProgress bar(ProgressChoice::bar, "p", std::nullopt, clock);
  SweepProgress plain(ProgressChoice::plain, "p", std::nullopt, clock);
  clock.advance(40);
  EXPECT_EQ(bar.row_done(), "\r1 rows, 40 s\x1b[K");
  EXPECT_EQ(plain.row_done(), "p: 1 rows after 40 s\n");
}

}  // namespace
}  // namespace collbench
