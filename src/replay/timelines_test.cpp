// SPDX-License-Identifier: Apache-2.0
#include "replay/timelines.h"

#include <gtest/gtest.h>

#include "plan/example_plans.h"

namespace collbench::replay {
namespace {

TEST(BusyTimes, AnExchangeBeginsWithItsLastMember) {
  const plan::Plan plan = plan::two_stages();
  const plan::Matching matching = plan::match(plan);
  plan::Timeline timeline;
  for (const plan::RankClass& ranks : plan.classes) timeline.emplace_back(ranks.ops.size());
  const auto set = [&](std::size_t c, const char* label, double start_s, double end_s) {
    timeline[c][plan::op_labelled(plan.classes[c], label)] = {start_s, start_s, end_s};
  };
  set(0, "forward", 0, 2);
  set(0, "send activations", 2, 3);
  set(1, "recv activations", 0, 3.5);  // it waits two seconds for the send
  set(1, "forward", 3.5, 5);
  const BusyTimes busy = busy_times(plan, matching, timeline);
  EXPECT_DOUBLE_EQ(busy.computing_s, 2);
  EXPECT_DOUBLE_EQ(busy.communication_s, 1.5);
}

TEST(BusyTimes, NothingStretchesWhatTakesNoTime) {
  EXPECT_DOUBLE_EQ(*stretch(3, 2), 1.5);
  EXPECT_FALSE(stretch(3, 0).has_value());
}

}  // namespace
}  // namespace collbench::replay
