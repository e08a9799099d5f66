// SPDX-License-Identifier: Apache-2.0
#include "plan/predict.h"

#include <gtest/gtest.h>

#include "plan/example_plans.h"
#include "plan/trace.h"

namespace collbench::plan {
namespace {

// 1000 floating-point operations a second, 1000 bytes a second, no latency: times are whole.
Costs slow() {
  Costs costs;
  costs.links.ranks_per_node = 1;
  costs.links.network = {0, 1000};
  costs.compute = {1000, 1000};
  return costs;
}

Costs slow_with_own_links() {
  Costs costs = slow();
  costs.links.shared = false;
  return costs;
}

// Forward 2 s, send 4 s, forward 2 s, backward 4 s, send 4 s, backward 4 s, all-reduce 4 s; the
// last stage reduces its gradients while the first still works.
TEST(Predict, TwoStages) {
  const Plan plan = two_stages();
  const Timeline times = predict(plan, match(plan), slow_with_own_links());
  EXPECT_DOUBLE_EQ(times[0][0].end_s, 2);
  EXPECT_DOUBLE_EQ(times[0][1].end_s, 6);
  EXPECT_DOUBLE_EQ(times[1][1].end_s, 8);
  EXPECT_DOUBLE_EQ(times[1][2].end_s, 12);
  EXPECT_DOUBLE_EQ(times[0][2].ready_s, 6);
  EXPECT_DOUBLE_EQ(times[0][2].start_s, 12);  // when its peer has something to send
  EXPECT_DOUBLE_EQ(times[0][2].end_s, 16);
  EXPECT_DOUBLE_EQ(times[1][4].end_s, 16);
  EXPECT_DOUBLE_EQ(times[0][4].end_s, 24);
  EXPECT_DOUBLE_EQ(step_s(times), 24);
}

// The last stage's two messages leave by one link, so that each takes twice as long.
TEST(Predict, StreamsShareALink) {
  const Plan plan = two_stages();
  const Timeline times = predict(plan, match(plan), slow());
  EXPECT_DOUBLE_EQ(times[1][3].end_s, 20);
  EXPECT_DOUBLE_EQ(times[1][4].end_s, 20);
  EXPECT_DOUBLE_EQ(step_s(times), 28);
}

// A node's link is another than that to other nodes, and a link's directions are two.
TEST(Predict, WhatGoesAnotherWayIsNotShared) {
  const auto seconds = [](int ranks_per_node, model::Axis axis, bool both_ways) {
    model::Layout layout;
    layout.dp = 2;
    layout.pp = 2;
    Plan plan = make_plan("x", layout, {}, {model::Axis::pp});
    for (RankClass& ranks : plan.classes) {
      Builder b(plan, ranks);
      const int peer = 1 - ranks.positions[0];
      const auto sends = send(model::Axis::pp, peer, DataType::float32, 1000, kNoSlot);
      const auto receives = recv(model::Axis::pp, peer, DataType::float32, 1000, kNoSlot);
      b.communicate("pp", "there", {peer == 1 ? sends : receives});
      if (both_ways) b.communicate("back", "back", {peer == 1 ? receives : sends});
      if (both_ways) continue;
      b.communicate(
          "other", "reduce",
          {collective(Collective::all_reduce, axis, DataType::float32, 1000, kNoSlot, kNoSlot)});
    }
    Costs costs = slow();
    costs.links.node = {0, 1000};
    costs.links.ranks_per_node = ranks_per_node;
    return predict_step(plan, costs).step_s;
  };
  EXPECT_DOUBLE_EQ(seconds(1, model::Axis::dp, true), 4);
  EXPECT_DOUBLE_EQ(seconds(1, model::Axis::dp, false), 8);  // both over the network
  EXPECT_DOUBLE_EQ(seconds(2, model::Axis::dp, false), 4);  // dp within nodes, pp between them
}

TEST(Predict, WhatAStepIsMadeOf) {
  const Plan plan = two_stages();
  const StepTimes times = predict_step(plan, slow_with_own_links());
  EXPECT_DOUBLE_EQ(times.compute_s, 6);
  EXPECT_DOUBLE_EQ(times.bubble_s, 6);    // each stage idles while the other computes
  EXPECT_DOUBLE_EQ(times.exposed_s, 12);  // two sends and an all-reduce
  EXPECT_DOUBLE_EQ(times.classes[0].communication_s, 12);
  EXPECT_DOUBLE_EQ(times.classes[1].idle_s, 18);
}

Plan one_rank_class() {
  model::Layout layout;
  layout.dp = 2;
  return make_plan("x", layout, {}, {model::Axis::pp});
}

TEST(Predict, StreamsOverlapAndAHostThatWaitsStopsThem) {
  for (const bool waits : {false, true}) {
    Plan plan = one_rank_class();
    Builder b(plan, plan.classes[0]);
    const Message message = collective(Collective::all_reduce, model::Axis::dp, DataType::float32,
                                       750, kNoSlot, kNoSlot);
    const auto reduced = b.communicate("dp", "reduce", {message});
    if (waits) b.wait("wait", {*reduced});
    b.compute("work", {{10, 10, 10}}, {}, {});
    EXPECT_DOUBLE_EQ(predict_step(plan, slow()).step_s, waits ? 5 : 3);
  }
}

TEST(Predict, CollectivesOfOneGroupFollowEachOther) {
  Plan plan = one_rank_class();
  Builder b(plan, plan.classes[0]);
  const Message message =
      collective(Collective::all_reduce, model::Axis::dp, DataType::float32, 250, kNoSlot, kNoSlot);
  b.communicate("dp", "reduce", {message, message});
  EXPECT_DOUBLE_EQ(predict_step(plan, slow()).step_s, 2);
}

TEST(Predict, AnUnsoundPlanIsRefused) {
  Plan plan = two_stages();
  std::swap(plan.classes[0].ops[1].messages, plan.classes[0].ops[2].messages);
  EXPECT_THROW(predict(plan, match(plan), slow()), std::logic_error);
}

TEST(Trace, HasAnEventPerOperationAndAnArrowPerMessage) {
  const Plan plan = two_stages();
  const Matching matching = match(plan);
  const std::string trace =
      to_trace(plan, matching, predict(plan, matching, slow_with_own_links()));
  const auto count = [&](const std::string& text) {
    int found = 0;
    for (auto at = trace.find(text); at != std::string::npos; at = trace.find(text, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count(R"("ph":"X")"), 10);
  EXPECT_EQ(count(R"("ph":"s")"), 2);
  EXPECT_EQ(count(R"("ph":"f")"), 2);
  EXPECT_EQ(count(R"("name":"recv gradients","pid":0,"tid":1,"ts":6000000.000,"dur":10000000.000,)"
                  R"("args":{"op":2,"waits_us":6000000.000,"what":"recv pp<-1 3.906 KiB float"})"),
            1)
      << trace;
}

}  // namespace
}  // namespace collbench::plan
