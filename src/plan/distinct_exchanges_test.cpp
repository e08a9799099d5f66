// SPDX-License-Identifier: Apache-2.0
#include "plan/distinct_exchanges.h"

#include <gtest/gtest.h>

#include "plan/exact_schemes.h"
#include "plan/example_plans.h"
#include "plan/predict.h"

namespace collbench::plan {
namespace {

using Counts = std::vector<std::uint64_t>;

TEST(DistinctExchanges, EachOnceAndHowOften) {
  const Plan plan = two_stages();
  const auto all = distinct_exchanges(plan, match(plan));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(name_of(all[0].message), "send");  // both directions
  EXPECT_EQ(all[0].per_step, (Counts{2, 2}));
  EXPECT_EQ(name_of(all[1].message), "all_reduce");
  EXPECT_EQ(all[1].message.axis, model::Axis::dp);
  EXPECT_EQ(all[1].per_step, (Counts{1, 1}));
}

TEST(DistinctExchanges, WhatTellsThemApart) {
  Plan plan = make_plan("x", layout_of(2, 1, 2, 1), {}, {model::Axis::pp});
  Builder b(plan, plan.classes[0]);
  const auto add = [&](Message message) {
    message.read = message.written = b.slot("x", 4000);
    b.communicate("x", "x", {message});
  };
  const auto reduce = [](model::Axis axis, DataType type, Count count, ReduceOp op) {
    return collective(Collective::all_reduce, axis, type, count, kNoSlot, kNoSlot, op);
  };
  using enum model::Axis;
  const Message first = reduce(tp, DataType::float32, 10, ReduceOp::sum);
  add(first);
  add(reduce(dp, DataType::float32, 10, ReduceOp::sum));
  add(reduce(tp, DataType::half, 10, ReduceOp::sum));
  add(reduce(tp, DataType::float32, 11, ReduceOp::sum));
  add(reduce(tp, DataType::float32, 10, ReduceOp::max));
  Message rooted = first;
  rooted.collective = Collective::reduce;
  add(rooted);
  rooted.peer = 1;  // another root is the same work
  add(rooted);
  add(first);
  const auto all = distinct_exchanges(plan, match(plan));
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].per_step, Counts{2});
  EXPECT_EQ(all[4].per_step, Counts{1});
  EXPECT_EQ(all[5].per_step, Counts{2});
}

// Together they are what the step sends, and each alone is a sound plan.
TEST(DistinctExchanges, AreAllOfAStepAndRunAlone) {
  Case c{"all", layout_of(2, 1, 4, 4, 2, 2), step_of(8), with(ZeroOptions{Zero::megatron})};
  c.scheme.pipeline = {Schedule::interleaved, StageMessages::pairs};
  c.model.tied_embeddings = true;
  const Plan plan = training_step("x", c.model, c.layout, c.step, c.scheme);
  std::vector<std::uint64_t> sums(plan.classes.size()), messages(plan.classes.size());
  for (const DistinctExchange& exchange : distinct_exchanges(plan, match(plan))) {
    const Plan alone = only(plan, exchange.exchange, 3);
    EXPECT_EQ(check(alone), std::vector<std::string>{});
    const std::uint32_t sender = exchange.exchange.members.front().rank_class;
    ASSERT_EQ(alone.classes[sender].ops.size(), 3u);
    EXPECT_EQ(alone.classes[sender].ops[2].messages.size(), 1u);
    EXPECT_EQ(alone.classes[sender].slots.size(), plan.classes[sender].slots.size());
    EXPECT_GT(predict_step(alone, {}).exposed_s, 0);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += exchange.per_step[k];
  }
  for (std::size_t k = 0; k < sums.size(); ++k) {
    for (const Total& total : totals(plan, plan.classes[k])) messages[k] += total.messages;
  }
  EXPECT_EQ(sums, messages);
}

}  // namespace
}  // namespace collbench::plan
