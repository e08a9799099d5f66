// SPDX-License-Identifier: Apache-2.0
#include "model/memory.h"

#include <algorithm>

namespace collbench::model {
namespace {

/// s * b * h / c: what an activation of one byte takes on a context-parallel rank.
double sbh(const Model& model, const Layout& layout, const Step& step) {
  return static_cast<double>(step.sequence) * static_cast<double>(step.micro_batch) *
         static_cast<double>(model.hidden) / layout.cp;
}

/// In units of s * b * h.
double korthikanti(const Model& model, const Layout& layout, const Step& step) {
  const double t = layout.tp;
  if (step.recompute == Recompute::full) return 2;
  double divided = 24, everywhere = 10;  // between the norms and within attention and MLP
  if (step.recompute == Recompute::none) {
    // Weights of attention, their softmax and its dropout.
    divided +=
        5.0 * model.heads * static_cast<double>(step.sequence) / static_cast<double>(model.hidden);
  }
  if (step.sequence_parallel) {
    divided += everywhere;
    everywhere = 0;
  }
  return everywhere + divided / t;
}

/// What products of an inner size f keep between them.
double inner(const Model& model, Count f) {
  return 4 * static_cast<double>(f) / static_cast<double>(model.hidden);
}

/// The part of a layer that its feed-forward part adds to the 18 of all else.
double feed_forward(const Model& model) {
  if (!model.experts) return inner(model, model.ffn);
  const Experts& experts = *model.experts;
  return experts.per_token * (2 + inner(model, experts.ffn)) +
         experts.shared * inner(model, experts.ffn);
}

double megatron(const Model& model, const Layout& layout, const Step& step) {
  if (step.recompute == Recompute::full) return 2;
  return (18 + feed_forward(model)) / layout.tp;
}

/// Layers of the first stage times micro-batches whose activations it holds.
double layers_in_flight(const Model& model, const Layout& layout, const Step& step) {
  const double p = layout.pp, layers = model.layers;
  if (layout.vpp > 1) return layers * (1 + (p - 1) / (p * layout.vpp));
  const double own = stage_layers(model, layout, 0).count;
  return own * std::min(layout.pp, step.micro_batches);
}

double largest_block(const Model& model, const Layout& layout, int pp) {
  Count largest = 0;
  for (int chunk = 0; chunk < layout.vpp; ++chunk) {
    for (const Block& block : stage_blocks(model, layout, stage_of(layout, pp, chunk))) {
      largest = std::max(largest, count({block}).total());
    }
  }
  return static_cast<double>(largest);
}

}  // namespace

StateBytes state_bytes(const StateAccounting& accounting, Count count, int ranks) {
  const auto part = [&](double bytes, bool divided) {
    return bytes * static_cast<double>(count) / (divided ? ranks : 1);
  };
  return {part(accounting.parameters, accounting.parameters_divided),
          part(accounting.gradients, accounting.gradients_divided),
          part(accounting.optimizer, accounting.optimizer_divided)};
}

StateBytes state_bytes(const StateAccounting& accounting, const Model& model, const Layout& layout,
                       int pp) {
  const ParameterCount held = rank_parameters(model, layout, pp);
  const StateBytes dense = state_bytes(accounting, held.dense, size_of(layout, Axis::dp_shard_cp));
  const StateBytes experts = state_bytes(accounting, held.expert, size_of(layout, Axis::edp_shard));
  return {dense.parameters + experts.parameters, dense.gradients + experts.gradients,
          dense.optimizer + experts.optimizer};
}

double fsdp2_transient_bytes(const Model& model, const Layout& layout, const Step& step, int pp) {
  const auto gathered = static_cast<double>(size_of(step.parameters));
  const auto gradients = static_cast<double>(size_of(step.gradients));
  return largest_block(model, layout, pp) * (2 * gathered + gradients);
}

double layer_activation_bytes(ActivationFormula formula, const Model& model, const Layout& layout,
                              const Step& step) {
  const double each = formula == ActivationFormula::korthikanti ? korthikanti(model, layout, step)
                                                                : megatron(model, layout, step);
  return sbh(model, layout, step) * each;
}

double first_stage_activation_bytes(ActivationFormula formula, const Model& model,
                                    const Layout& layout, const Step& step) {
  return layer_activation_bytes(formula, model, layout, step) *
         layers_in_flight(model, layout, step);
}

double edge_activation_bytes(const Model& model, const Layout& layout, const Step& step) {
  const double one = sbh(model, layout, step), t = layout.tp;
  const double dropout =
      one * std::min(layout.pp, step.micro_batches) / (step.sequence_parallel ? t : 1);
  if (layout.pp > 1) return dropout;
  const double vocabulary_per_hidden =
      static_cast<double>(model.vocabulary) / static_cast<double>(model.hidden);
  return dropout + 4 * one / t * (1 + vocabulary_per_hidden);
}

}  // namespace collbench::model
