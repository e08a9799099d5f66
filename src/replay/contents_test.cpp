// SPDX-License-Identifier: Apache-2.0
// Data that follow from plans made by hand, and faults that must be seen in them.
#include "replay/contents.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/builder.h"
#include "replay/interpreter.h"
#include "replay/scheme_cases.h"

namespace collbench::replay {
namespace {

using plan::Builder;
using plan::collective;
using plan::SlotIndex;
using Lines = std::vector<std::string>;

constexpr model::Axis kDp = model::Axis::dp;
constexpr DataType kFloat = DataType::float32;

plan::Plan plan_of_ranks(int ranks, int replicas = 1) {
  return plan::make_plan("x", plan::layout_of(1, 1, ranks, 1, replicas), {}, {model::Axis::pp});
}

// Two checks of a plan, one after the other, so that what is stale is of another check.
struct Checks {
  explicit Checks(const plan::Plan& plan)
      : first(contents_of_all(plan, 1)), second(contents_of_all(plan, 2)) {}

  // What is wrong in the second, where this is done instead of the plan.
  Lines find(const plan::Plan& done, Interpreter::Fault fault = {}) const {
    Interpreter interpreter(done, std::move(fault));
    interpreter.run(first);
    return interpreter.run(second);
  }

  std::vector<StepContents> first, second;
};

Lines run(const plan::Plan& plan) { return Checks(plan).find(plan); }

// Only what computing reads is checked in the step; the rest at its end.
TEST(Contents, WhatIsFilledAndChecked) {
  plan::Plan plan = plan_of_ranks(2);
  Builder b(plan, plan.classes[0]);
  const SlotIndex x = b.slot("x", 40), y = b.slot("y", 80), own = b.slot("own", 8);
  b.compute("make", {}, {own}, {x, own});
  b.communicate("dp", "gather", {collective(Collective::all_gather, kDp, kFloat, 10, x, y)});
  b.compute("use", {}, {y}, {});
  const StepContents step = contents(plan, 1, 7);
  ASSERT_EQ(step.at_start.size(), 2U);  // own is nobody's message
  EXPECT_EQ(step.ops[0].check.size(), 0U);
  ASSERT_EQ(step.ops[0].fill.size(), 1U);
  EXPECT_EQ(step.ops[0].fill[0].slot, x);
  EXPECT_EQ(step.ops[1].check.size() + step.ops[1].fill.size(), 0U);
  ASSERT_EQ(step.ops[2].check.size(), 1U);
  const std::vector<Piece>& gathered = step.ops[2].check[0].pieces;
  ASSERT_EQ(gathered.size(), 2U);
  EXPECT_EQ(gathered[1].at, 40U);
  EXPECT_EQ(gathered[1].count, 10U);
  EXPECT_EQ(gathered[1].pattern, step.ops[0].fill[0].pieces[0].pattern);
  EXPECT_NE(gathered[0].pattern->values, gathered[1].pattern->values);
  EXPECT_EQ(gathered[0].pattern->values,
            contents(plan, 0, 7).ops[0].fill[0].pieces[0].pattern->values);
  ASSERT_EQ(step.at_end.size(), 2U);
  EXPECT_EQ(step.at_end[1].pieces.size(), 2U);
}

// A reduce-scatter in place says nothing of other ranks' blocks.
TEST(Contents, WhatNobodyKnowsIsNotChecked) {
  plan::Plan plan = plan_of_ranks(4);
  Builder b(plan, plan.classes[0]);
  const SlotIndex x = b.slot("x", 163);  // and three bytes that are no element
  b.communicate("dp", "scatter", {collective(Collective::reduce_scatter, kDp, kFloat, 10, x, x)});
  const std::vector<Piece> pieces = contents(plan, 2, 1).at_end.at(0).pieces;
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].at, 80U);
  EXPECT_EQ(pieces[0].count, 10U);
  EXPECT_EQ(pieces[0].first, 20U);
  EXPECT_EQ(run(plan), Lines{});
}

TEST(Contents, CopiesToTheHostAndBack) {
  plan::Plan plan = plan_of_ranks(2);
  Builder b(plan, plan.classes[0]);
  const SlotIndex x = b.slot("x", 80), host = b.slot("host", 60, plan::Memory::host),
                  y = b.slot("y", 80);
  b.compute("make", {}, {}, {x});
  b.copy("out", "offload", 60, x, host);
  b.compute("overwrite", {}, {}, {x});
  b.copy("in", "load", 40, host, y);
  b.communicate("dp", "reduce", {collective(Collective::all_reduce, kDp, kFloat, 10, y, y)});
  b.compute("use", {}, {y, host}, {});
  const StepContents step = contents(plan, 0, 1);
  const std::vector<Piece>& loaded = step.ops.back().check.at(1).pieces;
  ASSERT_EQ(loaded.size(), 2U);  // reduced, and what lay behind
  EXPECT_EQ(loaded[0].count, 10U);
  EXPECT_EQ(run(plan), Lines{});
}

TEST(Contents, EveryCollective) {
  for (const bool in_place : {false, true}) {
    for (const Collective kind :
         {Collective::all_reduce, Collective::reduce, Collective::broadcast, Collective::all_gather,
          Collective::gather, Collective::reduce_scatter, Collective::scatter,
          Collective::alltoall}) {
      if (in_place && kind == Collective::alltoall) continue;
      for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max, ReduceOp::min}) {
        plan::Plan plan = plan_of_ranks(3);
        Builder b(plan, plan.classes[0]);
        const SlotIndex x = b.slot("x", 4000), y = b.slot("y", 4000);
        b.compute("make", {}, {}, {x, y});
        plan::Message message = collective(kind, kDp, kFloat, 300, x, in_place ? x : y, op);
        message.read_first = 7;
        message.written_first = in_place ? 7 : 3;
        message.peer = 1;
        b.communicate("dp", "it", {message});
        b.compute("use", {}, {x, y}, {});
        EXPECT_EQ(run(plan), Lines{}) << traffic::row_of(kind).name << in_place;
      }
    }
  }
}

// HSDP's chain and a tensor-parallel loss: sums of sums, and of maxima, in 8 digits.
TEST(Contents, ChainsOfReductionsAreExact) {
  for (const auto& [ranks, replicas] : {std::pair(64, 8), std::pair(64, 32), std::pair(512, 8)}) {
    plan::Plan plan = plan_of_ranks(ranks, replicas);
    Builder b(plan, plan.classes[0]);
    const int shards = ranks / replicas;
    const SlotIndex all = b.slot("all", 600 * static_cast<Bytes>(shards)), own = b.slot("own", 600);
    const DataType type = DataType::bfloat16;
    b.compute("make", {}, {}, {all});
    b.communicate(
        "s", "scatter",
        {collective(Collective::reduce_scatter, model::Axis::dp_shard_cp, type, 300, all, own)});
    b.communicate(
        "r", "reduce",
        {collective(Collective::all_reduce, model::Axis::dp_replicate, type, 300, own, own)});
    b.compute("use", {}, {own}, {});
    EXPECT_EQ(run(plan), Lines{}) << ranks;
  }
}

TEST(Contents, OfPlansThatCannotBeFollowed) {
  plan::Plan averages = plan_of_ranks(2);
  Builder b(averages, averages.classes[0]);
  const SlotIndex x = b.slot("x", 80);
  const plan::Message sum = collective(Collective::all_reduce, kDp, kFloat, 10, x, x);
  plan::Message average = sum;
  average.op = ReduceOp::avg;
  b.communicate("dp", "it", {average});
  EXPECT_THROW(contents(averages, 0, 1), std::logic_error);

  plan::Plan two_types = plan_of_ranks(2);
  Builder c(two_types, two_types.classes[0]);
  c.slot("x", 80);
  plan::Message halves = sum;
  halves.type = DataType::half;
  c.communicate("dp", "it", {sum});
  c.communicate("dp", "it", {halves});
  EXPECT_THROW(contents(two_types, 0, 1), std::logic_error);

  plan::Plan two_places = plan_of_ranks(2);  // each rank has another block of the other's data
  Builder f(two_places, two_places.classes[0]);
  const SlotIndex sent = f.slot("sent", 80), got = f.slot("got", 80);
  f.communicate("dp", "it", {collective(Collective::alltoall, kDp, kFloat, 10, sent, got)});
  EXPECT_NO_THROW(contents(two_places, 0, 1));
  f.communicate("dp", "it", {collective(Collective::all_reduce, kDp, kFloat, 10, got, got)});
  EXPECT_THROW(contents(two_places, 0, 1), std::logic_error);

  plan::Plan growing = plan_of_ranks(8);
  Builder d(growing, growing.classes[0]);
  d.slot("x", 80);
  // Each rank gives every eighth value, which is added 8^8 times: as much as 24 digits hold.
  for (int i = 0; i < 9; ++i) d.communicate("dp", "it", {sum});
  EXPECT_EQ(run(growing), Lines{});
  d.communicate("dp", "it", {sum});
  EXPECT_THROW(contents(growing, 0, 1), std::logic_error);

  plan::Plan unmatched = plan::make_plan("x", plan::layout_of(1, 1, 1, 2), {}, {model::Axis::pp});
  Builder e(unmatched, unmatched.classes[0]);
  e.communicate("pp", "it", {plan::send(model::Axis::pp, 1, kFloat, 10, e.slot("x", 80))});
  EXPECT_THROW(contents(unmatched, 0, 1), std::logic_error);
}

// ---- faults in a whole step are seen

plan::Plan hybrid_step() {
  plan::Case c = zero_case(tiny_zero(plan::Zero::fsdp2, true), plan::layout_of(2, 1, 4, 1, 2));
  c.step = tiny_step(1);
  return plan_of(c);
}

TEST(ContentsOfFaults, ASoundStepHasNone) { EXPECT_EQ(run(hybrid_step()), Lines{}); }

// One rank's contribution to a reduction is lost: each reduction of the second step in its turn.
TEST(ContentsOfFaults, ALostContribution) {
  const plan::Plan plan = hybrid_step();
  const Checks checks(plan);
  const std::vector<std::byte> zeros(1 << 20);
  const auto is_reduction = [](const Call& call) {
    return call.kind == CallKind::all_reduce || call.kind == CallKind::reduce_scatter;
  };
  int reductions = 0;
  checks.find(plan, [&](int rank, Call& call) { reductions += rank == 3 && is_reduction(call); });
  ASSERT_GT(reductions, 40);
  for (int lost = reductions / 2; lost < reductions; ++lost) {
    int seen = 0;
    const Lines wrong = checks.find(plan, [&](int rank, Call& call) {
      if (rank == 3 && is_reduction(call) && seen++ == lost) call.send = zeros.data();
    });
    EXPECT_NE(wrong, Lines{}) << lost << " of " << reductions;
  }
}

// Those that bring again what is there already are not missed: parameters and activations of the
// backward pass that a slot still has from the block before.
TEST(ContentsOfFaults, AMessageThatDoesNotCome) {
  const plan::Plan plan = hybrid_step();
  const Checks checks(plan);
  const auto comes_again = [](const std::string& label) {
    return label == "gather layer 3 backward" || label == "gather layer 2 backward" ||
           (label.ends_with("gather saved input") && label != "B0 head gather saved input");
  };
  for (std::size_t o = 0; o < plan.classes[0].ops.size(); ++o) {
    if (plan.classes[0].ops[o].messages.empty()) continue;
    plan::Plan stale = plan;
    stale.classes[0].ops[o].messages.clear();
    const std::string& label = plan.classes[0].ops[o].label;
    EXPECT_EQ(checks.find(stale).empty(), comes_again(label)) << label;
  }
}

// By an element, and by a block.
TEST(ContentsOfFaults, ABufferAtAnotherPlace) {
  const plan::Plan plan = hybrid_step();
  const Checks checks(plan);
  for (std::size_t o = 0; o < plan.classes[0].ops.size(); ++o) {
    if (plan.classes[0].ops[o].messages.empty()) continue;
    plan::Plan shifted = plan;
    for (plan::Slot& slot : shifted.classes[0].slots) slot.bytes *= 2;
    plan::Message& message = shifted.classes[0].ops[o].messages[0];
    const Count by = o % 2 == 0 ? 1 : message.count;
    (o % 4 < 2 ? message.read_first : message.written_first) += by;
    EXPECT_NE(checks.find(shifted), Lines{}) << plan.classes[0].ops[o].label;
  }
}

// One rank has two collectives of one communicator in another order: everybody gets something, and
// nothing hangs.
TEST(ContentsOfFaults, TwoCollectivesThatAreSwapped) {
  plan::Plan plan = plan::make_plan("x", plan::layout_of(1, 1, 4, 1), {}, {kDp});
  for (plan::RankClass& ranks : plan.classes) {
    Builder b(plan, ranks);
    const SlotIndex x = b.slot("x", 4000), y = b.slot("y", 4000);
    b.compute("make", {}, {}, {x, y});
    b.communicate("one", "x", {collective(Collective::all_reduce, kDp, kFloat, 1000, x, x)});
    b.communicate("other", "y", {collective(Collective::all_reduce, kDp, kFloat, 1000, y, y)});
    b.compute("use", {}, {x, y}, {});
  }
  const Checks checks(plan);
  EXPECT_EQ(checks.find(plan), Lines{});
  plan::Plan swapped = plan;
  std::swap(swapped.classes[2].ops[1], swapped.classes[2].ops[2]);
  Lines wrong = checks.find(swapped);
  std::sort(wrong.begin(), wrong.end());
  ASSERT_EQ(wrong.size(), 16U);  // both slots of every rank, after the two and at the end
  EXPECT_EQ(wrong[2].substr(0, 26), "rank 0 [use] slot x byte 0");
}

}  // namespace
}  // namespace collbench::replay
