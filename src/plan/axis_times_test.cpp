// SPDX-License-Identifier: Apache-2.0
#include "plan/axis_times.h"

#include <gtest/gtest.h>

#include "plan/example_plans.h"
#include "plan/only_axes.h"

namespace collbench::plan {
namespace {

using model::Axis;
using Axes = std::vector<Axis>;
using Seconds = std::vector<double>;

// 1000 floating-point operations a second, 1000 bytes a second, no latency: times are whole.
Costs slow(bool shared) {
  Costs costs;
  costs.links.ranks_per_node = 1;
  costs.links.network = {0, 1000};
  costs.links.shared = shared;
  costs.compute = {1000, 1000};
  return costs;
}

Seconds predicted(const Axes& of, const Axes& beside, const Costs& costs) {
  return predicted_axis_times(only_axes(two_stages(), beside), of, costs);
}

// A message of 4000 bytes each way, and an all-reduce of as many between two ranks.
TEST(AxisTimes, AloneAnAxisTakesWhatItsMessagesTake) {
  for (const bool shared : {false, true}) {
    EXPECT_EQ(predicted({Axis::pp}, {Axis::pp}, slow(shared)), Seconds{8});
    EXPECT_EQ(predicted({Axis::dp}, {Axis::dp}, slow(shared)), Seconds{4});
  }
}

// Waiting for another axis is no communication: with links of their own neither costs the other
// anything. The last stage sends gradients back while it reduces its own: on one link that takes
// twice as long, as predict_test has it.
TEST(AxisTimes, TogetherWhatSharesALinkTakesLonger) {
  const Axes both = {Axis::dp, Axis::pp};
  EXPECT_EQ(predicted(both, both, slow(false)), (Seconds{4, 8}));
  EXPECT_EQ(predicted(both, both, slow(true)), (Seconds{8, 12}));
}

// Two ranks of a group are of one class, and still each begins at its own time.
TEST(AxisTimes, ARankWaitsForTheLastOfItsGroup) {
  const Plan plan = two_stages();
  const OpIndex reduce = op_labelled(plan.classes[0], "gradients");
  std::vector<OpTime> own(plan.classes[0].ops.size());
  own[reduce] = {1, 1, 6};
  const auto times = [&](int rank, double other_s) {
    const StartOf start_of = [&](int of, OpIndex op) {
      return op != reduce ? 0.0 : of == rank ? 1.0 : other_s;
    };
    return axis_times(plan, match(plan), Axes{Axis::dp}, rank, own, start_of);
  };
  EXPECT_EQ(times(0, 4), Seconds{2});
  EXPECT_EQ(times(0, 0), Seconds{5});
  EXPECT_EQ(times(1, 4), Seconds{2});
  EXPECT_EQ(times(1, 9), Seconds{0});  // clocks of ranks are not quite the same
}

TEST(AxisTimes, EachAloneEachTwoAndAll) {
  const Axes two = {Axis::tp, Axis::pp}, three = {Axis::tp, Axis::dp, Axis::pp};
  EXPECT_EQ(axes_together(two), (std::vector<Axes>{{Axis::tp}, {Axis::pp}, two}));
  const auto all = axes_together(three);
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(all[4], (Axes{Axis::tp, Axis::pp}));
  EXPECT_EQ(all.back(), three);
  EXPECT_EQ(axes_together({}).size(), 0u);
}

}  // namespace
}  // namespace collbench::plan
