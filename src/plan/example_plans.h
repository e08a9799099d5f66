// SPDX-License-Identifier: Apache-2.0
// Plans for tests and benchmarks: a small one, written by hand, so that what it should give is
// known, and a large one.
#pragma once

#include "model/presets.h"
#include "plan/builder.h"
#include "plan/plan.h"
#include "plan/training_step.h"

namespace collbench::plan {

/// Two stages of two data-parallel ranks each; the forward of one micro-batch, its backward, and an
/// all-reduce of the gradients, 1000 elements everywhere.
///
///   stage 0: forward, send, recv, backward, all_reduce         stage 1: recv, forward, ...
inline Plan two_stages() {
  model::Layout layout;
  layout.dp = 2;
  layout.pp = 2;
  Plan plan = make_plan("example", layout, {}, {model::Axis::pp});
  for (RankClass& ranks : plan.classes) {
    Builder b(plan, ranks);
    const bool first = ranks.positions[0] == 0;
    const int peer = first ? 1 : 0;
    const auto in = b.slot("in", 4000), out = b.slot("out", 4000), grads = b.slot("grads", 4000);
    const auto receive = [&](const char* label) {
      b.communicate("pp", label, {recv(model::Axis::pp, peer, DataType::float32, 1000, in)});
    };
    const auto send_out = [&](const char* label) {
      b.communicate("pp", label, {send(model::Axis::pp, peer, DataType::float32, 1000, out)});
    };
    if (!first) receive("recv activations");
    b.compute("forward", {{10, 10, 10}}, first ? std::vector<SlotIndex>{} : std::vector{in}, {out});
    if (first) send_out("send activations");
    if (first) receive("recv gradients");
    b.compute("backward", {{10, 20, 10}}, {in}, {out, grads});
    if (!first) send_out("send gradients");
    b.communicate("dp", "gradients",
                  {collective(Collective::all_reduce, model::Axis::dp, DataType::float32, 1000,
                              grads, grads)});
  }
  return plan;
}

/// Llama 3 405B on 16,384 ranks: TP 8, PP 16, DP 128 (outermost), 16 sequences of 8192 tokens per
/// pipeline, FSDP that keeps parameters, first and last stage a layer short. Source: arXiv
/// 2407.21783, table 4.
inline Plan llama3_405b_step() {
  using model::Dimension;
  model::Layout layout;
  layout.tp = 8;
  layout.pp = 16;
  layout.dp = 128;
  layout.order = {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp, Dimension::dp};
  layout.stage_layers = std::vector<int>(16, 8);
  layout.stage_layers.front() = layout.stage_layers.back() = 7;
  model::Step step;
  step.micro_batches = 16;
  step.sequence = 8192;
  Scheme scheme;
  scheme.parameters = ZeroOptions{.reshard = false};
  return training_step("step", model::preset("llama3-405b"), layout, step, scheme);
}

/// The first operation of a class with this label.
inline OpIndex op_labelled(const RankClass& ranks, const std::string& label) {
  OpIndex index = 0;
  while (ranks.ops.at(index).label != label) ++index;
  return index;
}

}  // namespace collbench::plan
