// SPDX-License-Identifier: Apache-2.0
// Several axes at once: every mixture is sound, sends what closed forms say, and reduces gradients
// while other axes communicate.
#include <gtest/gtest.h>

#include "plan/exact_schemes.h"
#include "plan/only_axes.h"
#include "plan/predict.h"

namespace collbench::plan {
namespace {

using model::Axis;

/// Two axes or more.
std::vector<model::Layout> mixtures() {
  std::vector<model::Layout> all;
  for (const int tp : {1, 2}) {
    for (const int cp : {1, 2, 4}) {
      for (const int pp : {1, 2, 4}) {
        for (const int dp : {1, 2, 4}) {
          if ((tp > 1) + (cp > 1) + (pp > 1) + (dp > 1) < 2) continue;
          all.push_back(layout_of(tp, cp, dp, pp));
        }
      }
    }
  }
  return all;
}

/// Each mixture with another kind of data, context and pipeline parallelism than the one before.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const model::Layout& layout : mixtures()) {
    const std::size_t i = all.size();
    Case c{fmt::format("tp {} cp {} pp {} dp {}", layout.tp, layout.cp, layout.pp, layout.dp),
           layout, step_of(4), with(ZeroOptions{i % 2 == 0 ? Zero::megatron : Zero::fsdp2})};
    c.scheme.context.scheme = i % 3 == 0   ? model::ContextParallel::all_to_all
                              : i % 3 == 1 ? model::ContextParallel::ring
                                           : model::ContextParallel::all_gather;
    if (layout.pp == 2 && i % 4 < 2) {
      c.layout.vpp = 2;
      c.scheme.pipeline = {Schedule::interleaved, StageMessages::pairs};
    }
    // FSDP2's closed form is of one micro-batch where there are stages: see scheme_facts.h.
    if (layout.pp > 1) c.scheme.parameters = ZeroOptions{Zero::megatron};
    all.push_back(c);
  }
  return all;
}

TEST(Hybrid, EveryMixtureIsSoundAndSendsWhatClosedFormsSay) {
  ASSERT_GE(cases().size(), 30u);
  for (const Case& c : cases()) EXPECT_EQ(faults_of(c), "");
}

TEST(Hybrid, EveryPartOfAMixtureIsSound) {
  for (const Case& c : cases()) {
    const Plan plan = training_step(c.name, c.model, c.layout, c.step, c.scheme);
    for (const Axis axis : axes_of(plan)) {
      const Plan part = only_axes(plan, std::vector{axis});
      EXPECT_EQ(check(part), std::vector<std::string>{}) << c.name << ", " << name_of(axis);
    }
  }
}

bool is_on(const Op& op, Axis axis) {
  return !op.messages.empty() && op.messages.front().axis == axis;
}

/// Of one class: operations on the one axis during which one on the other goes on.
int overlaps(const Plan& plan, const Timeline& timeline, std::size_t c, Axis one, Axis other) {
  int count = 0;
  const std::vector<Op>& ops = plan.classes[c].ops;
  for (std::size_t a = 0; a < ops.size(); ++a) {
    if (!is_on(ops[a], one)) continue;
    for (std::size_t b = 0; b < ops.size(); ++b) {
      if (!is_on(ops[b], other)) continue;
      const OpTime &x = timeline[c][a], &y = timeline[c][b];
      if (x.start_s >= y.end_s || y.start_s >= x.end_s) continue;
      ++count;
      break;
    }
  }
  return count;
}

// On the same rank three communicators at once: gradients of one bucket while the backward pass of
// the next goes on with its tensor parallelism, and passes its gradients to the stage before.
TEST(Hybrid, GradientsAreReducedWhileOtherAxesCommunicate) {
  const Scheme scheme = with(ZeroOptions{.scheme = Zero::megatron, .bucket_elements = 3000000});
  const Plan plan = training_step("x", small_model(), layout_of(2, 1, 2, 2), step_of(4), scheme);
  Costs costs;
  costs.links = {.ranks_per_node = 8, .node = {1e-6, 1e9}};
  const Timeline timeline = predict(plan, match(plan), costs);
  const std::size_t last = plan.classes.size() - 1;  // which computes least after its last message
  EXPECT_GT(overlaps(plan, timeline, last, Axis::dp_shard_cp, Axis::tp), 0);
  EXPECT_GT(overlaps(plan, timeline, last, Axis::dp_shard_cp, Axis::pp) +
                overlaps(plan, timeline, 0, Axis::dp_shard_cp, Axis::pp),
            0);
}

}  // namespace
}  // namespace collbench::plan
