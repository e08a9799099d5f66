// SPDX-License-Identifier: Apache-2.0
#include "model/flops.h"

#include "model/parameters.h"

namespace collbench::model {
namespace {

constexpr double kPerParameter = 2;  // a multiplication and an addition

/// The share of an expert tensor that one token uses.
double used_share(const Model& model, const Tensor& tensor) {
  if (!tensor.expert) return 1;
  return 1.0 * model.experts->per_token / model.experts->routed;
}

double matrix_elements(const Model& model, const Block& block) {
  double sum = 0;
  for (const Tensor& tensor : block.tensors) {
    if (tensor.columns == 1) continue;  // norms and biases
    sum += static_cast<double>(elements(tensor)) * used_share(model, tensor);
  }
  return sum;
}

}  // namespace

Flops forward_flops_per_token(const Model& model, Count sequence, AttentionCount count) {
  Flops flops;
  for (const Block& block : blocks(model)) {
    if (block.kind == Block::Kind::embedding || block.kind == Block::Kind::head) continue;
    flops.matrices += kPerParameter * matrix_elements(model, block);
  }
  const double s = static_cast<double>(sequence), layers = model.layers + model.prediction_layers;
  const double keys = count == AttentionCount::causal ? s / 2 : s;  // that a token attends to
  const auto head_dims = static_cast<double>(query_head_dim(model) + value_head_dim(model));
  flops.attention = layers * kPerParameter * keys * model.heads * head_dims;
  const double heads = 1 + model.prediction_layers;
  flops.head = heads * kPerParameter * static_cast<double>(model.hidden) *
               static_cast<double>(model.vocabulary);
  return flops;
}

double training_flops_per_token(const Model& model, Count sequence, AttentionCount count) {
  return 3 * forward_flops_per_token(model, sequence, count).total();
}

double executed_flops_per_token(const Model& model, Count sequence, Recompute recompute,
                                AttentionCount count) {
  const Flops forward = forward_flops_per_token(model, sequence, count);
  double again = 0;
  if (recompute == Recompute::selective) again = forward.attention;
  if (recompute == Recompute::full) again = forward.matrices + forward.attention;
  return 3 * forward.total() + again;
}

}  // namespace collbench::model
