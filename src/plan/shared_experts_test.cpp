// SPDX-License-Identifier: Apache-2.0
// Shared experts beside the way of tokens to the others and back.
#include <gtest/gtest.h>

#include <map>

#include "plan/exact_schemes.h"
#include "plan/predict.h"

namespace collbench::plan {
namespace {

/// Two layers, the second with experts, of which two are shared.
model::Model with_shared_experts() {
  model::Model model = small_model();
  model.layers = 2;
  model.experts = {.routed = 16, .per_token = 4, .ffn = 512, .shared = 2, .dense_layers = 1};
  return model;
}

model::Layout layout_with_ep(int tp, int dp, int ep, int pp = 1) {
  model::Layout layout = layout_of(tp, 1, dp, pp);
  layout.ep = ep;
  layout.etp = 1;
  return layout;
}

Scheme overlapping(bool overlaps = true) {
  Scheme scheme;
  scheme.experts.overlaps_shared = overlaps;
  return scheme;
}

Plan plan_of(const Scheme& scheme, int tp = 1) {
  return training_step("x", with_shared_experts(), layout_with_ep(tp, 4, 4), step_of(1), scheme);
}

/// "label stream" of what is done in the layer of experts but for attention.
std::vector<std::string> operations(const Plan& plan) {
  std::vector<std::string> found;
  for (const Op& op : plan.classes.front().ops) {
    const bool of_layer = op.label.find("layer 1") != std::string::npos;
    if (!of_layer || op.label.find("attention") != std::string::npos) continue;
    const bool waits = op.kind == OpKind::wait;
    found.push_back(op.label + ": " +
                    (waits ? "host" : plan.streams[static_cast<std::size_t>(op.stream)]));
  }
  return found;
}

// Their first part while tokens are sent, their second while outputs come back; and so backward.
TEST(SharedExperts, AreComputedBesideTheWayThereAndBack) {
  EXPECT_EQ(operations(plan_of(overlapping())),
            (std::vector<std::string>{"F0 layer 1 experts own tokens: compute",
                                      "F0 layer 1 gather token counts: ep",
                                      "F0 layer 1 token counts: host",
                                      "F0 layer 1 dispatch routed tokens: ep",
                                      "F0 layer 1 dispatch probabilities: ep",
                                      "F0 layer 1 shared inputs: shared experts",
                                      "F0 layer 1 experts: compute",
                                      "F0 layer 1 combine expert outputs: ep",
                                      "F0 layer 1 shared output: shared experts",
                                      "F0 layer 1 experts combine: compute",
                                      "B0 layer 1 experts distribute: compute",
                                      "B0 layer 1 dispatch expert output gradients: ep",
                                      "B0 layer 1 shared row inputs: shared experts",
                                      "B0 layer 1 shared row weights: shared experts",
                                      "B0 layer 1 experts row inputs: compute",
                                      "B0 layer 1 experts row weights: compute",
                                      "B0 layer 1 experts column inputs: compute",
                                      "B0 layer 1 combine routed token gradients: ep",
                                      "B0 layer 1 combine probability gradients: ep",
                                      "B0 layer 1 experts column weights: compute",
                                      "B0 layer 1 shared column inputs: shared experts",
                                      "B0 layer 1 shared column weights: shared experts",
                                      "B0 layer 1 experts own inputs: compute",
                                      "B0 layer 1 experts own weights: compute"}));
}

// Megatron: the input is gathered before tokens are sent, the output scattered at the end.
TEST(SharedExperts, AreGatheredAndScatteredAmongTensorParallelRanks) {
  std::vector<std::string> found;
  for (const std::string& op : operations(plan_of(overlapping(), 2))) {
    if (op.starts_with("F") && op.find("token counts") == std::string::npos) found.push_back(op);
  }
  EXPECT_EQ(found,
            (std::vector<std::string>{
                "F0 layer 1 gather input: tp",  // of attention
                "F0 layer 1 experts own tokens: compute", "F0 layer 1 gather input: tp",
                "F0 layer 1 dispatch routed tokens: ep", "F0 layer 1 dispatch probabilities: ep",
                "F0 layer 1 shared inputs: shared experts", "F0 layer 1 experts: compute",
                "F0 layer 1 combine expert outputs: ep", "F0 layer 1 shared output: shared experts",
                "F0 layer 1 reduce shared: tp", "F0 layer 1 experts combine: compute"}));
}

// Sound, and as many bytes and operations as without, in whatever scheme.
TEST(SharedExperts, SendWhatTheySendElsewhere) {
  for (const ScheduleRow& schedule : kSchedules) {
    for (const model::Recompute recompute :
         {model::Recompute::none, model::Recompute::selective, model::Recompute::full}) {
      Case c{std::string(schedule.name), layout_with_ep(2, 4, 4, 2), step_of(4), overlapping(),
             with_shared_experts()};
      c.model.layers = 4;
      c.step.recompute = recompute;
      c.scheme.pipeline = {schedule.schedule, StageMessages::pairs};
      if (schedule.schedule == Schedule::interleaved) c.layout.vpp = 2;
      EXPECT_EQ(faults_of(c), "");
    }
  }
  for (const ZeroRow& row : kZero) {
    for (const Dispatcher dispatcher : {Dispatcher::alltoall, Dispatcher::allgather}) {
      Case c{std::string(row.name), layout_with_ep(1, 8, 4), step_of(2), with(ZeroOptions{}),
             with_shared_experts()};
      auto& zero = std::get<ZeroOptions>(c.scheme.parameters);
      zero.scheme = row.scheme;
      zero.reuse_elements = zero.persistent_elements = 0;
      zero.bucket_elements = 3000000;
      if (has_one_type(row.scheme)) c.step.gradients = DataType::bfloat16;
      c.scheme.experts.overlaps_shared = true;
      c.scheme.experts.dispatcher = dispatcher;
      EXPECT_EQ(faults_of(c), "");
    }
  }
}

/// Computing and sending in the layer of experts of a rank, and its step.
struct Times {
  std::map<std::string, double> of;  // by label
  double step_s = 0;
};

Times times_of(const Plan& plan, double GBps) {
  Costs costs;
  costs.links.node = {0, GBps * 1e9};
  costs.links.shared = false;
  costs.compute.flops = 100e12;
  const Timeline timeline = predict(plan, match(plan), costs);
  Times times;
  const std::vector<Op>& ops = plan.classes.front().ops;
  for (std::size_t o = 0; o < ops.size(); ++o) {
    times.of[ops[o].label] = timeline.front()[o].end_s - timeline.front()[o].start_s;
  }
  times.step_s = step_s(timeline);
  return times;
}

// Of each way the shorter of the two times is saved: what is sent, or what is computed meanwhile.
// Experts' gradients of weights are beside the way back of gradients either way.
TEST(SharedExperts, HideWhatIsSentMeanwhile) {
  const auto plan = [](bool overlaps) {
    Scheme scheme = overlapping(overlaps);
    scheme.parameters = DataParallelOptions{.overlap = false};
    return plan_of(scheme);
  };
  for (const double GBps : {0.5, 5.0, 50.0, 500.0}) {
    const Times apart = times_of(plan(false), GBps), beside = times_of(plan(true), GBps);
    const auto t = [&](const std::string& label) { return beside.of.at(label); };
    const double there =
        t("F0 layer 1 dispatch routed tokens") + t("F0 layer 1 dispatch probabilities");
    const double back = t("F0 layer 1 combine expert outputs");
    const double gradients_there = t("B0 layer 1 dispatch expert output gradients");
    const double gradients_back = t("B0 layer 1 combine routed token gradients") +
                                  t("B0 layer 1 combine probability gradients");
    const double rows = t("B0 layer 1 shared row inputs") + t("B0 layer 1 shared row weights");
    const double columns =
        t("B0 layer 1 shared column inputs") + t("B0 layer 1 shared column weights");
    const double weights = t("B0 layer 1 experts column weights");
    const double saved = std::min(there, t("F0 layer 1 shared inputs")) +
                         std::min(back, t("F0 layer 1 shared output")) +
                         std::min(gradients_there, rows) +
                         std::min(std::max(gradients_back - weights, 0.0), columns);
    EXPECT_GT(saved, 0);
    EXPECT_NEAR(apart.step_s - beside.step_s, saved, 1e-9 * apart.step_s) << GBps;
  }
}

// There is no way to hide.
TEST(SharedExperts, ComeAfterExpertsThatEveryRankHas) {
  const model::Layout layout = layout_of(1, 1, 4, 1);
  const auto plan = [&](bool overlaps) {
    return training_step("x", with_shared_experts(), layout, step_of(1), overlapping(overlaps));
  };
  EXPECT_EQ(operations(plan(true)), operations(plan(false)));
}

}  // namespace
}  // namespace collbench::plan
