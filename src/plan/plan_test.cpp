// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <gtest/gtest.h>

#include "plan/example_plans.h"
#include "plan/print.h"
#include "plan/totals.h"

namespace collbench::plan {
namespace {

TEST(Plan, ClassesAreTheRanksThatDifferOnTheAxes) {
  model::Layout layout;
  layout.tp = 2;
  layout.dp = 3;
  layout.pp = 4;
  const Plan plan = make_plan("x", layout, {}, {model::Axis::tp, model::Axis::pp});
  ASSERT_EQ(plan.classes.size(), 8u);
  EXPECT_EQ(plan.classes[1].positions, (std::vector{1, 0}));
  EXPECT_EQ(plan.classes[5].positions, (std::vector{1, 2}));
  EXPECT_EQ(plan.classes[5].first_rank, 13);  // tp 1, dp 0, pp 2: 1 + 2*(0 + 3*2)
  EXPECT_EQ(plan.classes[5].ranks, 3);
  EXPECT_EQ(class_of(plan, 17), 5u);  // tp 1, dp 2, pp 2
  EXPECT_EQ(name_of(plan, plan.classes[5]), "tp 1 pp 2");
}

TEST(Plan, OneClassIsAllRanks) {
  model::Layout layout;
  layout.dp = 4;
  const Plan plan = make_plan("x", layout, {}, {model::Axis::pp});
  ASSERT_EQ(plan.classes.size(), 1u);
  EXPECT_EQ(plan.classes[0].ranks, 4);
  EXPECT_EQ(name_of(plan, plan.classes[0]), "all ranks");
}

TEST(Plan, BytesOfMessages) {
  const auto bytes = [](Collective kind) {
    return message_bytes(
        collective(kind, model::Axis::dp, DataType::bfloat16, 100, kNoSlot, kNoSlot), 4);
  };
  EXPECT_EQ(bytes(Collective::all_reduce), 200u);
  EXPECT_EQ(bytes(Collective::all_gather), 800u);
  EXPECT_EQ(bytes(Collective::reduce_scatter), 800u);
  EXPECT_EQ(bytes(Collective::alltoall), 800u);
  EXPECT_EQ(message_bytes(send(model::Axis::pp, 1, DataType::float32, 3, kNoSlot), 4), 12u);
}

TEST(Builder, EdgesFollowFromSlots) {
  const Plan plan = two_stages();
  const RankClass& first = plan.classes[0];
  EXPECT_EQ(first.ops[0].after, std::vector<OpIndex>{});
  EXPECT_EQ(first.ops[1].after, std::vector<OpIndex>{0});  // sends what the forward wrote
  EXPECT_EQ(first.ops[2].after, std::vector<OpIndex>{});   // same stream as the send, other slot
  EXPECT_EQ(first.ops[3].after, std::vector<OpIndex>{2});  // which implies the send, by the stream
  EXPECT_EQ(first.ops[4].after, std::vector<OpIndex>{3});
}

TEST(Builder, ASlotHasOneSize) {
  Plan plan = make_plan("x", {}, {}, {});
  Builder b(plan, plan.classes[0]);
  EXPECT_EQ(b.slot("a", 8), b.slot("a", 8));
  EXPECT_THROW(b.slot("a", 9), std::logic_error);
}

TEST(Builder, ARankThatIsAloneSendsNothing) {
  Plan plan = make_plan("x", {}, {}, {});
  Builder b(plan, plan.classes[0]);
  const Message message =
      collective(Collective::all_reduce, model::Axis::dp, DataType::float32, 1, kNoSlot, kNoSlot);
  EXPECT_FALSE(b.communicate("dp", "reduce", {message}));
  EXPECT_TRUE(plan.classes[0].ops.empty());
}

TEST(Builder, ComputingCanBeHeldUp) {
  model::Layout layout;
  layout.dp = 2;
  Plan plan = make_plan("x", layout, {}, {});
  Builder b(plan, plan.classes[0]);
  const auto barrier = b.communicate("dp", "barrier",
                                     {collective(Collective::all_reduce, model::Axis::dp,
                                                 DataType::float32, 1, kNoSlot, kNoSlot)});
  b.hold_compute_until(barrier);
  b.compute("one", {}, {}, {});
  b.compute("two", {}, {}, {});
  EXPECT_EQ(plan.classes[0].ops[1].after, std::vector<OpIndex>{*barrier});
  EXPECT_EQ(plan.classes[0].ops[2].after, std::vector<OpIndex>{});
}

TEST(Builder, CommunicationCanFollowComputing) {
  model::Layout layout;
  layout.dp = 2;
  Plan plan = make_plan("x", layout, {}, {model::Axis::pp});
  Builder b(plan, plan.classes[0]);
  const Message message =
      collective(Collective::all_reduce, model::Axis::dp, DataType::float32, 1, kNoSlot, kNoSlot);
  const OpIndex work = b.compute("work", {}, {}, {});
  b.hold_communication_until_computed();
  b.communicate("dp", "after it", {message});
  b.communicate("other", "with it", {message});
  EXPECT_EQ(plan.classes[0].ops[1].after, std::vector{work});
  EXPECT_EQ(plan.classes[0].ops[2].after, std::vector<OpIndex>{});
}

TEST(Totals, BytesByAxisAndKind) {
  const Plan plan = two_stages();
  const auto rows = totals(plan, plan.classes[0]);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].axis, model::Axis::dp);
  EXPECT_EQ(rows[0].name(), "all_reduce");
  EXPECT_EQ(rows[0].sent_bytes(), 4000u);  // 2 (n-1)/n S for n = 2
  EXPECT_EQ(rows[1].name(), "send");
  EXPECT_EQ(rows[1].sent_bytes(), 4000u);
  EXPECT_EQ(rows[2].name(), "recv");
  EXPECT_EQ(rows[2].message_bytes, 4000u);
  EXPECT_EQ(rows[2].sent_bytes(), 0u);
  EXPECT_EQ(sent_bytes(plan, plan.classes[0]), 8000u);
  EXPECT_EQ(sent_bytes(plan, plan.classes[0], model::Axis::pp), 4000u);
  EXPECT_EQ(flops(plan.classes[0]), 2000u + 4000u);
  EXPECT_EQ(slot_bytes(plan.classes[0], Memory::device), 12000u);
}

// 2 (n-1)/n S is rounded once, not for each message, and beyond 2^53 doubles would be off.
TEST(Totals, AreExact) {
  Total total;
  total.group_size = 3;
  total.message_bytes = 1000000000000000003;
  EXPECT_EQ(total.sent_bytes(), 1333333333333333337u);
  total.group_size = 1;
  EXPECT_EQ(total.sent_bytes(), 0u);
}

TEST(Print, TotalsAndOperations) {
  const Plan plan = two_stages();
  const std::string totals = describe_totals(plan);
  EXPECT_NE(totals.find("# example of : 4 ranks, tp 1 cp 1 pp 2 dp 2\n"), std::string::npos)
      << totals;
  EXPECT_NE(totals.find("# pp 0: 2 ranks from rank 0, 5 operations"), std::string::npos) << totals;
  EXPECT_NE(totals.find("dp            all_reduce"), std::string::npos) << totals;
  EXPECT_NE(totals.find("# pp 1: 2 ranks from rank 2, as pp 0\n"), std::string::npos) << totals;
  Plan other = plan;
  other.classes[1].ops.pop_back();
  EXPECT_NE(describe_totals(other).find("# pp 1: 2 ranks from rank 2, 4 operations"),
            std::string::npos)
      << describe_totals(other);
  const std::string ops = describe_ops(plan);
  EXPECT_NE(ops.find("1  pp        0             send pp->1 3.906 KiB float  [send activations]"),
            std::string::npos)
      << ops;
}

}  // namespace
}  // namespace collbench::plan
