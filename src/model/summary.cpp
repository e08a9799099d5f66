// SPDX-License-Identifier: Apache-2.0
#include "model/summary.h"

#include "model/feasibility.h"

namespace collbench::model {
namespace {

ModelSummary summarize_model(const Model& model, Count sequence, Recompute recompute) {
  return {.model = model,
          .parameters = parameters(model),
          .active_parameters = active_parameters(model),
          .sequence = sequence,
          .forward = forward_flops_per_token(model, sequence),
          .training_flops = training_flops_per_token(model, sequence),
          .executed_flops = executed_flops_per_token(model, sequence, recompute),
          .training_flops_full_attention =
              training_flops_per_token(model, sequence, AttentionCount::full),
          .rank = {}};
}

Activations activations(const Model& model, const Layout& layout, const Step& step) {
  const auto by = [&](ActivationFormula formula) {
    return first_stage_activation_bytes(formula, model, layout, step);
  };
  Activations bytes{.korthikanti = by(ActivationFormula::korthikanti),
                    .megatron = {},
                    .edges = edge_activation_bytes(model, layout, step)};
  const bool whole = layout.tp > 1 && !step.sequence_parallel;
  if (step.recompute != Recompute::none && !whole && !model.experts) {
    bytes.megatron = by(ActivationFormula::megatron);
  }
  return bytes;
}

RankSummary summarize_rank(const Model& model, const Layout& layout, const Step& step) {
  RankSummary rank;
  rank.layout = layout;
  rank.step = step;
  for (int pp = 0; pp < layout.pp; ++pp) {
    rank.parameters.push_back(rank_parameters(model, layout, pp));
    const auto at = [&](int i) { return rank.parameters[static_cast<std::size_t>(i)].total(); };
    if (at(pp) > at(rank.largest_pp)) rank.largest_pp = pp;
  }
  for (const StateAccounting& accounting : kStateAccountings) {
    rank.states.push_back({&accounting, state_bytes(accounting, model, layout, rank.largest_pp)});
  }
  rank.fsdp2_transient_bytes = fsdp2_transient_bytes(model, layout, step, rank.largest_pp);
  rank.activations = activations(model, layout, step);
  return rank;
}

}  // namespace

ModelSummary summarize(const Model& model) {
  return summarize_model(model, model.sequence, Recompute::none);
}

ModelSummary summarize(const Model& model, const Layout& layout, const Step& step) {
  require_feasible(model, layout, step);
  ModelSummary summary = summarize_model(model, step.sequence, step.recompute);
  summary.rank = summarize_rank(model, layout, step);
  return summary;
}

}  // namespace collbench::model
