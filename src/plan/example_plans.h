// SPDX-License-Identifier: Apache-2.0
// Small plans for tests: written by hand, so that what they should give is known.
#pragma once

#include "plan/builder.h"
#include "plan/plan.h"

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

/// The first operation of a class with this label.
inline OpIndex op_labelled(const RankClass& ranks, const std::string& label) {
  OpIndex index = 0;
  while (ranks.ops.at(index).label != label) ++index;
  return index;
}

}  // namespace collbench::plan
