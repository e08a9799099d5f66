// SPDX-License-Identifier: Apache-2.0
// Faults planted in sound plans must be found, and named.
#include "plan/checker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/example_plans.h"

namespace collbench::plan {
namespace {

using Faults = std::vector<std::string>;

bool mentions(const Faults& faults, const std::string& text) {
  return std::any_of(faults.begin(), faults.end(), [&](const std::string& fault) {
    return fault.find(text) != std::string::npos;
  });
}

std::string joined(const Faults& faults) {
  std::string text;
  for (const std::string& fault : faults) text += fault + "\n";
  return text;
}

TEST(Checker, ASoundPlanHasNoFaults) { EXPECT_EQ(joined(check(two_stages())), ""); }

TEST(Checker, SendWithoutReceive) {
  Plan plan = two_stages();
  std::vector<Op>& ops = plan.classes[1].ops;
  ops[op_labelled(plan.classes[1], "recv activations")].messages.clear();
  EXPECT_TRUE(mentions(check(plan),
                       "rank 0 (pp 0), operation 1 [send activations]: send pp->1 3.906 KiB float: "
                       "nobody receives it"))
      << joined(check(plan));
}

TEST(Checker, ReceiveWithoutSend) {
  Plan plan = two_stages();
  plan.classes[0].ops[1].messages.clear();
  EXPECT_TRUE(mentions(check(plan), "rank 2 (pp 1), operation 0 [recv activations]"))
      << joined(check(plan));
}

TEST(Checker, SizesThatDiffer) {
  Plan plan = two_stages();
  plan.classes[0].ops[1].messages[0].count = 999;
  EXPECT_TRUE(mentions(check(plan), "3.902 KiB float meets rank 2 (pp 1), operation 0"))
      << joined(check(plan));
}

TEST(Checker, APeerThatIsTheRankItselfOrNobody) {
  for (const int peer : {0, 2, -1}) {
    Plan plan = two_stages();
    plan.classes[0].ops[1].messages[0].peer = peer;
    EXPECT_TRUE(mentions(check(plan), "it stands at position 0 of 2")) << joined(check(plan));
  }
}

// The two data-parallel ranks of a stage share a list, so neither can send to "position 1".
TEST(Checker, SendWithinAClass) {
  Plan plan = two_stages();
  plan.classes[0].ops[1].messages[0].axis = model::Axis::dp;
  EXPECT_TRUE(mentions(check(plan), "ranks that share this list differ in their position on dp"))
      << joined(check(plan));
}

TEST(Checker, ACollectiveThatOneClassLeavesOut) {
  Plan plan = two_stages();
  Builder b(plan, plan.classes[0]);
  Op norm = plan.classes[0].ops.back();
  norm.label = "norm";
  norm.messages[0].axis = model::Axis::world;
  plan.classes[0].ops.push_back(norm);
  EXPECT_TRUE(mentions(check(plan),
                       "operation 5 [norm]: all_reduce world 3.906 KiB float: rank 2 "
                       "(pp 1, position 2 of the group) never takes part"))
      << joined(check(plan));
}

TEST(Checker, CollectivesThatDiffer) {
  Plan plan = two_stages();
  for (RankClass& ranks : plan.classes) ranks.ops.back().messages[0].axis = model::Axis::world;
  EXPECT_EQ(joined(check(plan)), "");
  plan.classes[1].ops.back().messages[0].op = ReduceOp::max;
  EXPECT_TRUE(mentions(check(plan), "[gradients]: all_reduce world 3.906 KiB float meets rank 2"))
      << joined(check(plan));
}

// Both send first: buffers of NCCL do not grow, so both wait for a receive that is not issued.
TEST(Checker, SwappedOrderOfSendAndReceive) {
  Plan plan = two_stages();
  std::vector<Op>& ops = plan.classes[0].ops;
  std::swap(ops[1], ops[2]);
  ops[1].after = {};
  ops[2].after = {0};
  ops[3].after = {1, 2};
  const Faults faults = check(plan);
  ASSERT_EQ(faults.size(), 1u) << joined(faults);
  EXPECT_NE(faults[0].find("rank 0 (pp 0) issues operation 1 [recv gradients] before 2 [send "
                           "activations]"),
            std::string::npos)
      << faults[0];
  EXPECT_NE(faults[0].find("rank 2 (pp 1) issues operation 0 [recv activations] before 3 [send "
                           "gradients]"),
            std::string::npos)
      << faults[0];
}

// Each communicator alone is in order; the two together are not.
TEST(Checker, SwappedOrderOfTwoCommunicators) {
  Plan plan = two_stages();
  for (RankClass& ranks : plan.classes) {
    Op again = ranks.ops.back();
    again.messages[0].axis = model::Axis::world;
    again.stream = stream_named(plan, "world");
    again.after = {static_cast<OpIndex>(ranks.ops.size() - 1)};
    again.label = "over all";
    ranks.ops.push_back(again);
    again.messages[0].axis = model::Axis::tp_pp;
    again.after = {static_cast<OpIndex>(ranks.ops.size() - 1)};
    again.label = "over a copy";
    ranks.ops.push_back(again);
  }
  EXPECT_EQ(joined(check(plan)), "");
  std::vector<Op>& ops = plan.classes[1].ops;
  std::swap(ops[5].messages, ops[6].messages);
  std::swap(ops[5].label, ops[6].label);
  EXPECT_TRUE(mentions(check(plan), "deadlock: ")) << joined(check(plan));
  EXPECT_TRUE(mentions(check(plan), "[over a copy] before 6 [over all]")) << joined(check(plan));
}

TEST(Checker, ASlotReusedTooEarly) {
  Plan plan = two_stages();
  plan.classes[0].ops[4].after.clear();
  const Faults faults = check(plan);
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0],
            "rank 0 (pp 0), operation 4 [gradients] reads slot grads without waiting for operation "
            "3 [backward], which wrote it");
}

TEST(Checker, OverwritingWhatIsBeingSent) {
  Plan plan = two_stages();
  plan.classes[0].ops[3].after.clear();  // the backward overwrites `out` while it is sent
  EXPECT_TRUE(mentions(check(plan),
                       "operation 3 [backward] writes slot out without waiting for "
                       "operation 1 [send activations], which reads it"))
      << joined(check(plan));
}

TEST(Checker, AHostThatWaitsOrdersEverythingAfter) {
  Plan plan = two_stages();
  std::vector<Op>& ops = plan.classes[0].ops;
  ops[4].after.clear();
  Op wait;
  wait.kind = OpKind::wait;
  wait.after = {3};
  ops.insert(ops.begin() + 4, wait);
  EXPECT_EQ(joined(check(plan)), "");
}

TEST(Checker, WhatIsNotThere) {
  Plan plan = two_stages();
  plan.classes[0].ops[1].stream = 3;
  plan.classes[0].ops[2].messages[0].written = 9;
  plan.classes[1].ops[1].messages = plan.classes[1].ops[0].messages;
  EXPECT_EQ(joined(check(plan)),
            "rank 0 (pp 0), operation 1 [send activations] is on stream 3 of 3\n"
            "rank 0 (pp 0), operation 2 [recv gradients] uses a slot that its rank has not\n"
            "rank 2 (pp 1), operation 1 [forward] has messages and is no communication\n");
}

TEST(Checker, AfterALaterOperation) {
  Plan plan = two_stages();
  plan.classes[0].ops[1].after = {3};
  EXPECT_TRUE(mentions(check(plan), "comes after operation 3, which is not issued before it"))
      << joined(check(plan));
}

}  // namespace
}  // namespace collbench::plan
