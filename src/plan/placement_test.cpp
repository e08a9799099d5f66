// SPDX-License-Identifier: Apache-2.0
#include "plan/placement.h"

#include <gtest/gtest.h>

#include "plan/exact_schemes.h"
#include "plan/example_plans.h"

namespace collbench::plan {
namespace {

using model::Axis;
using model::AxisPlacement;

Plan of_one(Collective collective_kind, int ranks) {
  Plan plan = make_plan("x", layout_of(1, 1, ranks, 1), step_of(1), {Axis::pp});
  Builder b(plan, plan.classes[0]);
  const SlotIndex in = b.slot("in", 1 << 20), out = b.slot("out", 1 << 20);
  b.communicate("dp", "it",
                {collective(collective_kind, Axis::dp, DataType::float32, 1000, in, out)});
  return plan;
}

Bytes crossing(Collective collective_kind, int ranks, int ranks_per_node) {
  return placement(of_one(collective_kind, ranks), nodes_in_order(ranks, ranks_per_node))
      .at(0)
      .crossing_bytes;
}

// Stages 0 and 1 are ranks 0, 1 and 2, 3: 4000 bytes forward, as many back, 4000 reduced by two.
TEST(Placement, TwoStagesOnTwoNodes) {
  const AxisPlacement dp{Axis::dp, 2, 2, 0, 4000, 0}, pp{Axis::pp, 2, 2, 2, 4000, 4000};
  EXPECT_EQ(placement(two_stages(), {0, 0, 1, 1}), (std::vector{dp, pp}));
  const AxisPlacement dp_across{Axis::dp, 2, 2, 2, 4000, 4000}, pp_inside{Axis::pp, 2, 2, 0, 4000};
  EXPECT_EQ(placement(two_stages(), {0, 1, 0, 1}), (std::vector{dp_across, pp_inside}));
  EXPECT_EQ(placement(two_stages(), {7, 7, 7, 7})[1].crossing, 0);
  EXPECT_EQ(placement(two_stages(), {0, 0, 0, 1})[0],
            (AxisPlacement{Axis::dp, 2, 2, 1, 4000, 4000}));
}

// Rings leave a node once, all-to-alls with what is for others: bytes worked out by hand.
TEST(Placement, OfCollectives) {
  EXPECT_EQ(crossing(Collective::all_reduce, 8, 8), 0u);
  EXPECT_EQ(crossing(Collective::all_reduce, 8, 4), 7000u / 4);      // 2 of 8 parts of 2 7/8 4000
  EXPECT_EQ(crossing(Collective::all_reduce, 8, 1), 7000u);          // every hop
  EXPECT_EQ(crossing(Collective::all_gather, 8, 2), 7u * 4000 / 2);  // 4 of 8 parts of 7 blocks
  EXPECT_EQ(crossing(Collective::alltoall, 8, 4), 4u * 4000);        // 4 of 7 blocks
  EXPECT_EQ(crossing(Collective::alltoall, 8, 1), 7u * 4000);
}

TEST(Placement, OfTheRankThatSendsMostToOthers) {
  // Node 0 has three ranks, node 1 one: it sends three blocks away, the others one.
  const auto all = placement(of_one(Collective::alltoall, 4), {0, 0, 0, 1});
  EXPECT_EQ(all[0].crossing_bytes, 3u * 4000);
  EXPECT_EQ(all[0].sent_bytes, 3u * 4000);
}

TEST(Placement, AnAxisWithinALayerIsMisplacedWhereALighterOneStaysInside) {
  const AxisPlacement tp_across{Axis::tp, 2, 4, 4, 1000, 1000}, dp_inside{Axis::dp, 2, 4, 0, 10, 0};
  const auto found = model::misplaced(std::vector{tp_across, dp_inside});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->crossing, Axis::tp);
  EXPECT_EQ(found->inside, Axis::dp);
  EXPECT_EQ(describe(*found), "tp crosses nodes while dp, which sends less, stays within them");
  EXPECT_EQ(model::describe(std::vector{tp_across, dp_inside}),
            "# across nodes: tp, 4 of 4 groups of 2: 1000 B of 1000 B that a rank sends\n"
            "# misplaced: tp crosses nodes while dp, which sends less, stays within them; --order "
            "can say which axis has neighbours\n");
  EXPECT_EQ(model::describe(std::vector{dp_inside}), "");
  AxisPlacement heavier = dp_inside;
  heavier.sent_bytes = 2000;
  EXPECT_FALSE(model::misplaced(std::vector{tp_across, heavier}));
  const AxisPlacement dp_across{Axis::dp, 2, 4, 4, 10, 10}, tp_inside{Axis::tp, 2, 4, 0, 1000, 0};
  EXPECT_FALSE(model::misplaced(std::vector{tp_inside, dp_across}));
  EXPECT_FALSE(model::misplaced(std::vector{tp_across, dp_across}));
  EXPECT_FALSE(model::misplaced({}));
}

// Of a real step: dp first in the order takes the neighbours that tp should have.
TEST(Placement, AnOrderThatPutsTensorParallelismAcrossNodes) {
  const auto of_order = [](const char* order) {
    model::Layout layout = layout_of(2, 1, 2, 1);
    layout.order = model::parse_order(order, "--order");
    const Plan plan =
        training_step("x", small_model(), layout, step_of(8), with(ZeroOptions{Zero::megatron}));
    return placement(plan, nodes_in_order(4, 2));
  };
  EXPECT_FALSE(model::misplaced(of_order("tp-cp-ep-dp-pp")));
  const auto found = model::misplaced(of_order("dp-tp-cp-ep-pp"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->crossing, Axis::tp);
}

}  // namespace
}  // namespace collbench::plan
