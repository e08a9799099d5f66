// SPDX-License-Identifier: Apache-2.0
#include "plan/distinct_exchanges.h"

#include <gtest/gtest.h>

#include "plan/exact_schemes.h"
#include "plan/example_plans.h"

namespace collbench::plan {
namespace {

using Counts = std::vector<std::uint64_t>;

Plan pipeline_of_many_kinds() {
  Case c{"all", layout_of(2, 1, 4, 4, 2, 2), step_of(8), with(ZeroOptions{Zero::megatron})};
  c.scheme.pipeline = {Schedule::interleaved, StageMessages::pairs};
  c.model.tied_embeddings = true;
  return training_step("x", c.model, c.layout, c.step, c.scheme);
}

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
  EXPECT_EQ(all[0].exchanges.size(), 2u);
  EXPECT_EQ(all[4].per_step, Counts{1});
  EXPECT_EQ(all[5].per_step, Counts{2});  // of another root, too
}

// Together they are what the step sends.
TEST(DistinctExchanges, AreAllOfAStep) {
  const Plan plan = pipeline_of_many_kinds();
  std::vector<std::uint64_t> sums(plan.classes.size()), messages(plan.classes.size());
  for (const DistinctExchange& exchange : distinct_exchanges(plan, match(plan))) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += exchange.per_step[k];
  }
  for (std::size_t k = 0; k < sums.size(); ++k) {
    for (const Total& total : totals(plan, plan.classes[k])) messages[k] += total.messages;
  }
  EXPECT_EQ(sums, messages);
}

// One after the other they are a sound plan that sends what the step sends, and a turn before each.
TEST(DistinctExchanges, InTurnsTheyTakeAsLongAsAllOfThem) {
  const Plan plan = pipeline_of_many_kinds();
  const auto all = distinct_exchanges(plan, match(plan));
  const Turns turns = in_turns(plan, all);
  EXPECT_EQ(check(turns.plan), std::vector<std::string>{});
  std::size_t exchanges = 0;
  for (const DistinctExchange& distinct : all) exchanges += distinct.exchanges.size();
  for (std::size_t k = 0; k < plan.classes.size(); ++k) {
    const std::vector<Op>& ops = turns.plan.classes[k].ops;
    ASSERT_EQ(turns.distinct[k].size(), ops.size());
    std::vector<std::uint64_t> seen(all.size());
    std::size_t turns_seen = 0;
    for (const std::optional<std::size_t>& distinct : turns.distinct[k]) {
      ++(distinct ? seen[*distinct] : turns_seen);
    }
    EXPECT_EQ(turns_seen, exchanges);
    for (std::size_t x = 0; x < all.size(); ++x) EXPECT_EQ(seen[x], all[x].per_step[k]);
  }
}

// What follows each other uses the memory that it uses in the step, or caches would make it look
// fast.
TEST(DistinctExchanges, InTurnsTheyUseTheMemoryOfTheStepInItsOrder) {
  Plan plan = make_plan("x", layout_of(1, 1, 2, 1), {}, {});
  Builder b(plan, plan.classes[0]);
  std::vector<SlotIndex> slots;
  for (const char* name : {"a", "b", "c"}) {
    slots.push_back(b.slot(name, 4000));
    b.communicate("x", name,
                  {collective(Collective::all_reduce, model::Axis::dp, DataType::float32,
                              name[0] == 'b' ? 20 : 10, slots.back(), slots.back())});
  }
  const Turns turns = in_turns(plan, distinct_exchanges(plan, match(plan)));
  const std::vector<Op>& ops = turns.plan.classes[0].ops;
  ASSERT_EQ(ops.size(), 6u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ops[2 * i].messages[0].axis, model::Axis::world);
    EXPECT_EQ(ops[2 * i + 1].messages[0].read, slots[i]);
    EXPECT_EQ(turns.distinct[0][2 * i + 1], i % 2);  // a and c are alike
  }
}

}  // namespace
}  // namespace collbench::plan
