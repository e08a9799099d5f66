// SPDX-License-Identifier: Apache-2.0
// Files of three schemes of one step, for tests.
#pragma once

#include "analysis/scheme_study.h"
#include "results/example_steps.h"

namespace collbench::example {

/// Of 65536 tokens on 4 ranks of 2 hosts, of which 2 GiB go to other nodes.
inline StepRecord scheme_step(std::string pattern, model::Layout layout,
                              std::map<std::string, std::string> choices, double step_s,
                              Bytes model_bytes) {
  StepRecord step = example::step();
  step.key.pattern = std::move(pattern);
  step.key.model = "of a file";
  step.key.layout = layout;
  step.key.scheme = std::move(choices);
  step.step = series({step_s}, step_s);
  step.step->interval95_s = {0.99 * step_s, 1.01 * step_s};
  step.computing = series({16e-3}, 16e-3);
  step.skeleton = series({17e-3}, 17e-3);
  step.model_bytes = model_bytes;
  step.placement = {{.axis = model::Axis::dp,
                     .group_size = 2,
                     .groups = 2,
                     .crossing = 2,
                     .sent_bytes = Bytes{4} << 30,
                     .crossing_bytes = Bytes{2} << 30}};
  return step;
}

/// The fastest needs most memory.
inline std::vector<Document> schemes() {
  Document ddp = pattern(), zero = pattern(), hybrid = pattern();
  ddp.steps = {
      scheme_step("data_parallel", {.dp = 4}, {{"buckets", "ddp"}}, 20e-3, Bytes{96} << 30)};
  zero.steps = {scheme_step("zero", {.dp = 4}, {{"reshard", "no"}, {"zero", "fsdp2"}}, 32e-3,
                            Bytes{40} << 30),
                scheme_step("zero", {.dp = 4}, {{"reshard", "yes"}, {"zero", "fsdp2"}}, 40e-3,
                            Bytes{24} << 30)};
  hybrid.steps = {scheme_step("hybrid_parallel", {.tp = 2, .dp = 2}, {{"zero", "megatron"}},
                              32.1e-3, Bytes{48} << 30)};
  return {ddp, zero, hybrid};
}

}  // namespace collbench::example
