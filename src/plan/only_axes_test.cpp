// SPDX-License-Identifier: Apache-2.0
#include "plan/only_axes.h"

#include <gtest/gtest.h>

#include "plan/exact_schemes.h"
#include "plan/example_plans.h"
#include "plan/print.h"

namespace collbench::plan {
namespace {

using Axes = std::vector<model::Axis>;
using model::Axis;

TEST(OnlyAxes, AxesAreThoseOfMessages) {
  EXPECT_EQ(axes_of(two_stages()), (Axes{Axis::dp, Axis::pp}));
  EXPECT_EQ(axes_of(only_axes(two_stages(), Axes{Axis::pp})), Axes{Axis::pp});
  EXPECT_EQ(axes_of(only_axes(two_stages(), {})), Axes{});
}

TEST(OnlyAxes, TheRestIsThePlans) {
  const Plan plan = two_stages();
  const Plan part = only_axes(plan, Axes{Axis::dp, Axis::tp});
  ASSERT_EQ(part.classes.size(), plan.classes.size());
  for (std::size_t c = 0; c < plan.classes.size(); ++c) {
    const RankClass &ranks = part.classes[c], &whole = plan.classes[c];
    EXPECT_EQ(sent_bytes(part, ranks, Axis::pp), 0u);
    EXPECT_EQ(sent_bytes(part, ranks), sent_bytes(plan, whole, Axis::dp));
    EXPECT_EQ(flops(ranks), flops(whole));
    ASSERT_EQ(ranks.ops.size(), whole.ops.size());
    for (std::size_t o = 0; o < whole.ops.size(); ++o) {
      EXPECT_EQ(ranks.ops[o].kind, whole.ops[o].kind);
      EXPECT_EQ(ranks.ops[o].stream, whole.ops[o].stream);
      EXPECT_EQ(ranks.ops[o].after, whole.ops[o].after);
    }
  }
  EXPECT_EQ(describe_ops(only_axes(plan, axes_of(plan))), describe_ops(plan));
}

// Each axis by itself and each pair: messages have their matches, nobody waits for ever, no slot is
// written while it is read.
TEST(OnlyAxes, EveryPartOfAHybridIsSound) {
  Scheme scheme = with(ZeroOptions{Zero::megatron});
  const Plan plan = training_step("x", small_model(), layout_of(2, 2, 2, 2), step_of(4), scheme);
  const Axes axes = axes_of(plan);
  ASSERT_GE(axes.size(), 4u);
  for (const Axis one : axes) {
    for (const Axis other : axes) {
      const Plan part = only_axes(plan, Axes{one, other});
      EXPECT_EQ(check(part), std::vector<std::string>{})
          << name_of(one) << " and " << name_of(other);
      EXPECT_EQ(axes_of(part), one < other   ? (Axes{one, other})
                               : one > other ? (Axes{other, one})
                                             : Axes{one});
    }
  }
}

}  // namespace
}  // namespace collbench::plan
