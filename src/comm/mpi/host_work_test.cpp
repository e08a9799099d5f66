// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_work.h"

#include <gtest/gtest.h>

#include <vector>

namespace collbench {
namespace {

// A clock that every look moves on.
class TickingClock final : public Clock {
 public:
  double now_s() override { return now_s_ += 10e-6; }

 private:
  double now_s_ = 0;
};

TEST(SlicedWork, CoversEveryElementOnce) {
  for (const Count count : {0, 1, 9, 10, 11, 35}) {
    std::vector<int> touched(count, 0);
    Count largest = 0;
    SlicedWork work(count, 10, [&](Count first, Count length) {
      largest = std::max(largest, length);
      for (Count i = first; i < first + length; ++i) ++touched.at(i);
    });
    Count slices = 0;
    for (; work.advance() == Step::worked; ++slices) {
    }
    EXPECT_EQ(work.advance(), Step::done);
    EXPECT_EQ(slices, (count + 9) / 10);
    EXPECT_LE(largest, 10U);
    EXPECT_EQ(touched, std::vector<int>(count, 1));
  }
}

TEST(BusyWork, LastsItsTimeInSlicesAndNotBetweenThem) {
  TickingClock clock;
  BusyWork work(1e-3, clock);
  double busy_s = 0;
  int slices = 0;
  for (;; ++slices) {
    const double before_s = clock.now_s();
    if (work.advance() != Step::worked) break;
    busy_s += clock.now_s() - before_s;
    for (int i = 0; i < 100; ++i) clock.now_s();  // others use the core
  }
  EXPECT_GE(slices, 10);  // 50 to 100 us each
  EXPECT_LE(slices, 20);
  EXPECT_GE(busy_s, 1e-3);
  EXPECT_LE(busy_s, 1e-3 + slices * 30e-6);  // two looks of ours and the last of its own
}

// Found as a busy time that never ended, when rounding left less than the clock can tell.
TEST(BusyWork, ATimeBelowTheResolutionOfTheClockEnds) {
  TickingClock clock;
  BusyWork work(1e-30, clock);
  EXPECT_EQ(work.advance(), Step::worked);
  EXPECT_EQ(work.advance(), Step::done);
}

TEST(BusyWork, NoTimeIsDoneAtOnce) {
  TickingClock clock;
  EXPECT_EQ(BusyWork(0, clock).advance(), Step::done);
  EXPECT_EQ(BusyWork(-1, clock).advance(), Step::done);
}

TEST(PassPoint, SaysWhen) {
  ManualClock clock;
  clock.advance(2.5);
  const auto point = std::make_shared<StreamPoint>();
  AwaitPoint await(point);
  EXPECT_EQ(await.advance(), Step::waiting);
  EXPECT_EQ(PassPoint(point, clock).advance(), Step::done);
  EXPECT_EQ(await.advance(), Step::done);
  EXPECT_EQ(point->time_s, 2.5);
}

}  // namespace
}  // namespace collbench
