// SPDX-License-Identifier: Apache-2.0
#include "app/soak.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "results/example_document.h"

namespace collbench {
namespace {

// Rank 0, which decides by its own clock, or another rank, which is told beforehand.
class Plane final : public ControlPlane {
 public:
  explicit Plane(std::vector<bool> told = {}) : told_(std::move(told)) {}

  int rank() const override { return told_.empty() ? 0 : 1; }
  int size() const override { return 2; }
  void barrier() override {}
  void all_gather_bytes(const void*, Bytes, void*) override { FAIL() << "nobody is asked"; }
  void broadcast_bytes(void* data, Bytes bytes) override {
    ++broadcasts;
    if (told_.empty()) return;
    ASSERT_LT(next_, told_.size());
    const bool over = told_[next_++];
    ASSERT_EQ(bytes, sizeof(over));
    std::memcpy(data, &over, bytes);
  }

  int broadcasts = 0;

 private:
  std::vector<bool> told_;
  std::size_t next_ = 0;
};

SamplingChoice lasting(double duration_s) {
  SamplingChoice choice;
  choice.duration_s = duration_s;
  return choice;
}

// How many rows each cycle of a sweep of `rows` has, each of which takes `row_s`.
std::vector<int> rows_of_cycles(Soak& soak, ManualClock& clock, int rows, double row_s) {
  std::vector<int> measured;
  while (soak.begin_cycle()) {
    measured.push_back(0);
    while (measured.back() < rows && soak.goes_on()) {
      ++measured.back();
      clock.advance(row_s);
    }
  }
  return measured;
}

TEST(Soak, CountsCyclesWithoutAskingAnybody) {
  Plane plane;
  ManualClock clock;
  SamplingChoice choice;
  choice.cycles = 3;
  Soak soak(plane, clock, choice);
  EXPECT_EQ(rows_of_cycles(soak, clock, 2, 1e6), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(plane.broadcasts, 0);
  EXPECT_TRUE(soak.keeps_rows());
  EXPECT_EQ(soak.aggregate(example::measured(false)), std::nullopt);
}

TEST(Soak, EndsBetweenTwoRowsWhenTheTimeIsOver) {
  Plane plane;
  ManualClock clock;
  clock.advance(1000);  // a clock starts anywhere
  Soak soak(plane, clock, lasting(5));
  EXPECT_EQ(rows_of_cycles(soak, clock, 2, 1), (std::vector<int>{2, 2, 1}));
}

TEST(Soak, BeginsNoCycleOnceTheTimeIsOver) {
  Plane plane;
  ManualClock clock;
  Soak soak(plane, clock, lasting(4));
  EXPECT_EQ(rows_of_cycles(soak, clock, 2, 1), (std::vector<int>{2, 2}));
}

TEST(Soak, TheFirstCycleIsWholeHoweverLongItTakes) {
  Plane plane;
  ManualClock clock;
  Soak soak(plane, clock, lasting(1));
  EXPECT_EQ(rows_of_cycles(soak, clock, 9, 100), (std::vector<int>{9}));
}

TEST(Soak, OtherRanksDoAsRankZeroSays) {
  // Whether another cycle begins, and whether each of its rows is measured, one answer each.
  Plane plane({false, false, false, false, true});
  ManualClock clock;
  Soak soak(plane, clock, lasting(1));
  EXPECT_EQ(rows_of_cycles(soak, clock, 3, 1e6), (std::vector<int>{3, 3}));
  EXPECT_EQ(plane.broadcasts, 5);
}

TEST(Soak, KeepsSamplesOfTheFirstCycleAndAggregatesOfAll) {
  Plane plane;
  ManualClock clock;
  Soak soak(plane, clock, lasting(10));
  ASSERT_TRUE(soak.begin_cycle());
  EXPECT_TRUE(soak.keeps_rows());
  EXPECT_EQ(soak.aggregate(example::measured(false))->row, 0U);
  const auto skipped = soak.aggregate(example::skipped());
  EXPECT_EQ(skipped->row, 1U);
  EXPECT_EQ(skipped->status, RowStatus::skipped);
  EXPECT_EQ(skipped->reason, "");  // the document's row has it
  EXPECT_EQ(skipped->median_s, std::nullopt);
  EXPECT_EQ(skipped->wrong_elements, std::nullopt);
  ASSERT_TRUE(soak.begin_cycle());
  EXPECT_FALSE(soak.keeps_rows());
  const auto wrong = soak.aggregate(example::wrong());
  EXPECT_EQ(wrong->cycle, 2U);
  EXPECT_EQ(wrong->row, 0U);
  EXPECT_EQ(wrong->median_s, 285.215e-6);
  EXPECT_EQ(wrong->wrong_elements, 3U);
  EXPECT_EQ(wrong->reason, example::wrong().reason);
}

}  // namespace
}  // namespace collbench
