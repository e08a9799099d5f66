// SPDX-License-Identifier: Apache-2.0
#include "model/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/errors.h"

namespace collbench::model {
namespace {

using Tensors = std::vector<Tensor>;

// ---- the tensors of a layer

void add_norm(Tensors& tensors, const Model& model, const std::string& name, Count width) {
  tensors.push_back({.name = name, .rows = width});
  if (model.norm == Norm::layer) tensors.push_back({.name = name + ".bias", .rows = width});
}

/// A matrix, and the bias that its outputs get.
void add_linear(Tensors& tensors, const Tensor& weight, bool bias) {
  tensors.push_back(weight);
  if (!bias) return;
  const Split split = weight.split == Split::columns ? Split::none : weight.split;
  tensors.push_back({.name = weight.name + ".bias",
                     .rows = weight.rows,
                     .split = split,
                     .expert = weight.expert,
                     .copies = weight.copies});
}

void add_attention(Tensors& tensors, const Model& model) {
  const Count h = model.hidden, query = model.heads * model.head_dim,
              key = model.kv_heads * model.head_dim;
  const bool qkv_bias = model.biases != Biases::none, out_bias = model.biases == Biases::all;
  add_linear(tensors, {"attention.q", query, h, Split::rows}, qkv_bias);
  add_linear(tensors, {"attention.k", key, h, Split::key_value_rows}, qkv_bias);
  add_linear(tensors, {"attention.v", key, h, Split::key_value_rows}, qkv_bias);
  if (model.qk_norm) {
    add_norm(tensors, model, "attention.q_norm", model.head_dim);
    add_norm(tensors, model, "attention.k_norm", model.head_dim);
  }
  add_linear(tensors, {"attention.out", h, query, Split::columns}, out_bias);
}

/// The low-rank matrices are small and every tensor-parallel rank holds them; heads are divided.
void add_latent_attention(Tensors& tensors, const Model& model) {
  const LatentAttention& latent = *model.latent_attention;
  const Count h = model.hidden, a = model.heads, query = a * query_head_dim(model);
  const bool compressed = latent.query_rank > 0;
  if (compressed) tensors.push_back({"attention.q_down", latent.query_rank, h});
  tensors.push_back({"attention.kv_down", latent.kv_rank + latent.rope_head_dim, h});
  if (compressed) add_norm(tensors, model, "attention.q_norm", latent.query_rank);
  add_norm(tensors, model, "attention.kv_norm", latent.kv_rank);
  tensors.push_back({compressed ? "attention.q_up" : "attention.q", query,
                     compressed ? latent.query_rank : h, Split::rows});
  tensors.push_back({"attention.kv_up", a * (latent.nope_head_dim + latent.value_head_dim),
                     latent.kv_rank, Split::rows});
  tensors.push_back({"attention.out", h, a * latent.value_head_dim, Split::columns});
}

void add_mlp(Tensors& tensors, const Model& model, const std::string& name, Count ffn,
             bool expert = false, Count copies = 1) {
  const Count h = model.hidden;
  const bool bias = model.biases == Biases::all;
  if (model.gated_mlp) {
    add_linear(tensors, {name + ".gate", ffn, h, Split::rows, expert, copies}, bias);
  }
  add_linear(tensors, {name + ".up", ffn, h, Split::rows, expert, copies}, bias);
  add_linear(tensors, {name + ".down", h, ffn, Split::columns, expert, copies}, bias);
}

void add_experts(Tensors& tensors, const Model& model) {
  const Experts& experts = *model.experts;
  tensors.push_back({"router", static_cast<Count>(experts.routed), model.hidden});
  add_mlp(tensors, model, "experts", experts.ffn, true, experts.routed);
  if (experts.shared > 0) add_mlp(tensors, model, "shared", experts.shared * experts.ffn);
}

Tensors layer_tensors(const Model& model, bool with_experts) {
  Tensors tensors;
  add_norm(tensors, model, "attention_norm", model.hidden);
  if (model.latent_attention) {
    add_latent_attention(tensors, model);
  } else {
    add_attention(tensors, model);
  }
  add_norm(tensors, model, "mlp_norm", model.hidden);
  if (with_experts) {
    add_experts(tensors, model);
  } else {
    add_mlp(tensors, model, "mlp", model.ffn);
  }
  return tensors;
}

// ---- blocks

Tensor vocabulary_tensor(const Model& model, const std::string& name, Count vocabulary) {
  return {name, vocabulary, model.hidden, Split::rows};
}

Block embedding_block(const Model& model, Count vocabulary) {
  Block block{.kind = Block::Kind::embedding};
  block.tensors.push_back(vocabulary_tensor(model, "embedding", vocabulary));
  if (model.positions == Positions::learned) {
    block.tensors.push_back({"positions", model.sequence, model.hidden});
  }
  return block;
}

Block layer_block(const Model& model, int layer) {
  const bool with_experts = has_experts(model, layer);
  return {Block::Kind::layer, layer, with_experts, layer_tensors(model, with_experts)};
}

/// `with_matrix`: unless it is the embedding's, on the same rank.
Block head_block(const Model& model, Count vocabulary, bool with_matrix) {
  Block block{.kind = Block::Kind::head};
  add_norm(block.tensors, model, "final_norm", model.hidden);
  if (with_matrix) block.tensors.push_back(vocabulary_tensor(model, "head", vocabulary));
  return block;
}

/// A further layer whose input joins the last hidden state and the next token's embedding.
Block prediction_block(const Model& model) {
  Block block{.kind = Block::Kind::prediction, .experts = model.experts.has_value()};
  add_norm(block.tensors, model, "embedding_norm", model.hidden);
  add_norm(block.tensors, model, "hidden_norm", model.hidden);
  block.tensors.push_back({"join", model.hidden, 2 * model.hidden, Split::rows});
  for (Tensor& tensor : layer_tensors(model, block.experts)) block.tensors.push_back(tensor);
  add_norm(block.tensors, model, "final_norm", model.hidden);
  return block;
}

// ---- what a rank holds

Count divided(Count whole, int parts, const Tensor& tensor) {
  const auto n = static_cast<Count>(parts);
  if (whole % n != 0) {
    throw std::logic_error(fmt::format("{}: {} does not divide by {}", tensor.name, whole, parts));
  }
  return whole / n;
}

Count key_value_rows(const Tensor& tensor, const Model& model, int tp) {
  return tp < model.kv_heads ? divided(tensor.rows, tp, tensor) : model.head_dim;
}

Tensor local(Tensor tensor, const Model& model, const Layout& layout) {
  const int parts = tensor.expert ? expert_tp(layout) : layout.tp;
  switch (tensor.split) {
    case Split::none:
      break;
    case Split::rows:
      tensor.rows = divided(tensor.rows, parts, tensor);
      break;
    case Split::columns:
      tensor.columns = divided(tensor.columns, parts, tensor);
      break;
    case Split::key_value_rows:
      tensor.rows = key_value_rows(tensor, model, parts);
      break;
  }
  if (tensor.expert) tensor.copies = divided(tensor.copies, layout.ep, tensor);
  return tensor;
}

int stages(const Layout& layout) { return layout.pp * layout.vpp; }

}  // namespace

std::vector<Block> blocks(const Model& model) {
  std::vector<Block> all = {embedding_block(model, model.vocabulary)};
  for (int layer = 0; layer < model.layers; ++layer) all.push_back(layer_block(model, layer));
  all.push_back(head_block(model, model.vocabulary, !model.tied_embeddings));
  for (int i = 0; i < model.prediction_layers; ++i) all.push_back(prediction_block(model));
  return all;
}

LayerRange stage_layers(const Model& model, const Layout& layout, int stage) {
  if (layout.stage_layers.empty()) {
    const int each = model.layers / stages(layout);
    return {stage * each, each};
  }
  const auto at = layout.stage_layers.begin() + stage;
  return {std::accumulate(layout.stage_layers.begin(), at, 0), *at};
}

std::vector<Block> stage_blocks(const Model& model, const Layout& layout, int stage) {
  const Count vocabulary = padded_vocabulary(model, layout);
  const bool last = stage == stages(layout) - 1;
  std::vector<Block> all;
  if (stage == 0) all.push_back(embedding_block(model, vocabulary));
  const LayerRange range = stage_layers(model, layout, stage);
  for (int i = 0; i < range.count; ++i) all.push_back(layer_block(model, range.first + i));
  if (last) {
    all.push_back(head_block(model, vocabulary, !model.tied_embeddings || stage > 0));
    for (int i = 0; i < model.prediction_layers; ++i) all.push_back(prediction_block(model));
  }
  for (Block& block : all) {
    for (Tensor& tensor : block.tensors) tensor = local(tensor, model, layout);
  }
  return all;
}

ParameterCount count(const std::vector<Block>& blocks) {
  ParameterCount sum;
  for (const Block& block : blocks) {
    for (const Tensor& tensor : block.tensors) {
      (tensor.expert ? sum.expert : sum.dense) += elements(tensor);
    }
  }
  return sum;
}

Count parameters(const Model& model) { return count(blocks(model)).total(); }

Count active_parameters(const Model& model) {
  const ParameterCount all = count(blocks(model));
  if (!model.experts) return all.total();
  const Experts& experts = *model.experts;
  return all.dense +
         all.expert / static_cast<Count>(experts.routed) * static_cast<Count>(experts.per_token);
}

ParameterCount rank_parameters(const Model& model, const Layout& layout, int pp) {
  ParameterCount sum;
  for (int chunk = 0; chunk < layout.vpp; ++chunk) {
    const ParameterCount held = count(stage_blocks(model, layout, stage_of(layout, pp, chunk)));
    sum.dense += held.dense;
    sum.expert += held.expert;
  }
  return sum;
}

Count padded_vocabulary(const Model& model, const Layout& layout) {
  const Count unit = 128 * static_cast<Count>(layout.tp);
  return (model.vocabulary + unit - 1) / unit * unit;
}

}  // namespace collbench::model
