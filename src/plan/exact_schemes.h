// SPDX-License-Identifier: Apache-2.0
// For tests: a plan is sound, and sends exactly what the closed forms of src/model say, which never
// see an operation.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/closed_forms.h"
#include "plan/checker.h"
#include "plan/scheme_facts.h"
#include "plan/totals.h"
#include "plan/training_step.h"
#include "plan/variants.h"

namespace collbench::plan {

/// Sizes that divide by all degrees below, so that no shard is padded.
inline model::Model small_model() {
  model::Model model;
  model.name = "small";
  model.layers = 8;
  model.hidden = 1024;
  model.ffn = 4096;
  model.heads = 16;
  model.kv_heads = 8;
  model.head_dim = 64;
  model.vocabulary = 16384;
  model.sequence = 512;
  return model;
}

struct Case {
  std::string name;
  model::Layout layout;
  model::Step step;
  Scheme scheme;
  model::Model model = small_model();
};

inline model::Layout layout_of(int tp, int cp, int dp, int pp, int replicas = 1, int vpp = 1) {
  model::Layout layout;
  layout.tp = tp;
  layout.cp = cp;
  layout.dp = dp;
  layout.pp = pp;
  layout.replicas = replicas;
  layout.vpp = vpp;
  return layout;
}

inline model::Step step_of(int micro_batches, bool sequence_parallel = true) {
  model::Step step;
  step.micro_batches = micro_batches;
  step.micro_batch = 2;
  step.sequence = 512;
  step.sequence_parallel = sequence_parallel;
  return step;
}

struct Sum {
  Bytes message_bytes = 0;
  Count operations = 0;
  bool counted = true;  // operations are known
};
using Sums = std::map<std::pair<std::string, std::string>, Sum>;  // by axis and operation

inline Sums closed_form(const Case& c, int pp) {
  Sums sums;
  for (const model::Volumes& volumes : closed_forms(c.model, c.layout, c.step, c.scheme, pp)) {
    for (const model::Volume& volume : volumes) {
      if (volume.message_bytes == 0) continue;
      Sum& sum = sums[{std::string(name_of(volume.axis)),
                       std::string(traffic::row_of(volume.collective).name)}];
      sum.message_bytes += volume.message_bytes;
      sum.operations += volume.operations;
      sum.counted = sum.counted && volume.operations > 0;
    }
  }
  return sums;
}

/// The closed form is of Megatron's head, which gathers its input again in the backward pass.
inline void keep_gathered_input_of_head(Sums& sums, const Case& c, int pp) {
  const bool keeps = c.scheme.tensor.implementation == model::TensorParallel::dtensor &&
                     c.step.sequence_parallel && pp == c.layout.pp - 1;
  if (!keeps) return;
  const Bytes x = c.step.sequence / static_cast<Count>(c.layout.cp) * c.step.micro_batch *
                  c.model.hidden * size_of(c.step.activations);
  Sum& gathers = sums.at({"tp", "all_gather"});
  gathers.message_bytes -= static_cast<Count>(c.step.micro_batches) * x;
  gathers.operations -= static_cast<Count>(c.step.micro_batches);
}

inline Sums counted(const Plan& plan, const RankClass& ranks) {
  Sums sums;
  for (const Total& total : totals(plan, ranks)) {
    if (total.kind == MessageKind::recv) continue;
    const std::string name =
        total.kind == MessageKind::send ? "sendrecv" : std::string(total.name());
    sums[{std::string(name_of(total.axis)), name}] = {total.message_bytes, total.messages, true};
  }
  return sums;
}

inline std::string text_of(const Sums& sums, const Sums& like) {
  std::string text;
  for (const auto& [key, sum] : sums) {
    const auto found = like.find(key);
    const bool counts = sum.counted && (found == like.end() || found->second.counted);
    text += fmt::format("{} {} {} B", key.first, key.second, sum.message_bytes);
    text += counts ? fmt::format(" in {}\n", sum.operations) : "\n";
  }
  return text;
}

/// What is measured beside the step must be as sound.
inline std::string faults_of_variants(const Plan& plan) {
  std::string faults;
  const auto add = [&](const char* variant, const Plan& made) {
    for (const std::string& fault : check(made)) faults += fmt::format("{}: {}\n", variant, fault);
  };
  add("without communication", without_communication(plan));
  add("without computing", without_computing(plan));
  add("skeleton", skeleton(plan));
  add("shrunk", shrunk(plan, 1000));
  return faults;
}

/// Faults of its plan, and where it does not send what closed forms say; empty where all is well.
inline std::string faults_of(const Case& c) {
  const Plan plan = training_step("test", c.model, c.layout, c.step, c.scheme);
  std::string faults;
  for (const std::string& fault : check(plan)) faults += c.name + ": " + fault + "\n";
  faults += faults_of_variants(plan);
  for (const RankClass& ranks : plan.classes) {
    Sums expected = closed_form(c, ranks.positions[0]);
    keep_gathered_input_of_head(expected, c, ranks.positions[0]);
    const Sums found = counted(plan, ranks);
    if (text_of(found, expected) == text_of(expected, expected)) continue;
    faults += fmt::format("{}, {} sends\n{}and should send\n{}", c.name, name_of(plan, ranks),
                          text_of(found, expected), text_of(expected, expected));
  }
  return faults;
}

/// DeepSpeed's closed forms have one type for gradients and parameters.
inline bool has_one_type(Zero scheme) { return scheme != Zero::megatron && scheme != Zero::fsdp2; }

inline Scheme with(DataParallelOptions options) { return {options, {}, {}}; }
inline Scheme with(ZeroOptions options) { return {options, {}, {}}; }

}  // namespace collbench::plan
