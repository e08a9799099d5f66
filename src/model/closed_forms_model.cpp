// SPDX-License-Identifier: Apache-2.0
// Closed forms of the schemes that divide the model or its tokens: tensor, context, pipeline and
// expert parallelism.
#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "model/closed_forms.h"
#include "model/feasibility.h"
#include "model/parameters.h"

namespace collbench::model {
namespace {

Count number_of(int value) { return static_cast<Count>(value); }

bool holds_first_stage(int pp) { return pp == 0; }
bool holds_last_stage(const Layout& layout, int pp) { return pp == layout.pp - 1; }

/// Layers of this rank, with and without experts, the prediction layers among them.
struct LayerCount {
  Count all = 0;
  Count experts = 0;
};

LayerCount layers(const Model& model, const Layout& layout, int pp) {
  LayerCount sum;
  for (int chunk = 0; chunk < layout.vpp; ++chunk) {
    const LayerRange range = stage_layers(model, layout, stage_of(layout, pp, chunk));
    sum.all += number_of(range.count);
    for (int i = 0; i < range.count; ++i) sum.experts += has_experts(model, range.first + i);
  }
  if (holds_last_stage(layout, pp)) {
    sum.all += number_of(model.prediction_layers);
    if (model.experts) sum.experts += number_of(model.prediction_layers);
  }
  return sum;
}

/// Tokens of a micro-batch on a context-parallel rank: s * b / c.
Count tokens(const Layout& layout, const Step& step) {
  return step.sequence / number_of(layout.cp) * step.micro_batch;
}

/// X in bytes.
Bytes activation_bytes(const Model& model, const Layout& layout, const Step& step) {
  return tokens(layout, step) * model.hidden * size_of(step.activations);
}

/// Of a step: a message of every micro-batch, `times` each.
void add(Volumes& volumes, const Layout& layout, const Step& step, Collective collective, Axis axis,
         Count times, Bytes message) {
  if (size_of(layout, axis) == 1 || times == 0) return;
  const Count operations = number_of(step.micro_batches) * times;
  volumes.push_back({collective, axis, operations, operations * message});
}

// ---- tensor parallelism

/// Pairs of a column-parallel and a row-parallel layer that X goes into.
Count column_row_pairs(const Model& model, const LayerCount& on_rank) {
  const bool shared = model.experts && model.experts->shared > 0;
  const Count attentions = model.latent_attention ? 0 : on_rank.all;
  return attentions + on_rank.all - on_rank.experts + (shared ? on_rank.experts : 0);
}

/// Latent attention under sequence parallelism, as Megatron divides it: down-projections work on a
/// rank's own tokens, and only what they give is gathered.
void add_latent_attention(Volumes& volumes, const Model& model, const Layout& layout,
                          const Step& step, Count attentions) {
  const LatentAttention& latent = *model.latent_attention;
  const Bytes each = tokens(layout, step) * size_of(step.activations);
  const Count queries = latent.query_rank > 0 ? latent.query_rank : model.hidden;
  const Count passes = step.recompute == Recompute::full ? 3 : 2;  // each gathers all three
  const Count ups = queries + latent.kv_rank;
  // Of the backward pass the gradient of the output, but no positions.
  const Count gathered = passes * ups + (passes - 1) * latent.rope_head_dim + model.hidden;
  const Count scattered = (passes - 1) * model.hidden + ups + latent.rope_head_dim;
  const Count times = number_of(step.micro_batches) * attentions;
  const Count positions = latent.rope_head_dim > 0 ? 1 : 0;
  volumes.push_back({Collective::all_gather, Axis::tp,
                     times * (2 * passes + (passes - 1) * positions + 1), times * gathered * each});
  volumes.push_back({Collective::reduce_scatter, Axis::tp, times * (passes - 1 + 2 + positions),
                     times * scattered * each});
}

// ---- context parallelism

/// Elements of one micro-batch and layer on a rank.
struct AttentionTensors {
  Count query, keys_and_values, output;
};

/// `kv_heads`: at least so many on a rank.
AttentionTensors attention_tensors(const Model& model, const Layout& layout, const Step& step,
                                   int least_kv_heads) {
  const int t = layout.tp, own = model.latent_attention ? model.heads : model.kv_heads;
  const Count on_rank = number_of(std::max({own / t, 1, least_kv_heads}));
  const Count each = tokens(layout, step), heads = number_of(model.heads / t);
  const Count key = query_head_dim(model), value = value_head_dim(model);
  return {each * heads * key, each * on_rank * (key + value), each * heads * value};
}

void add_ring(Volumes& volumes, const Layout& layout, const Step& step, Count attentions,
              Bytes keys_and_values) {
  // Forward each hop is one message. Backward the first hop carries keys and values, the last their
  // gradients, and those between both: c messages for 2(c - 1) of them.
  const Count c = number_of(layout.cp), times = number_of(step.micro_batches) * attentions;
  volumes.push_back(
      {Collective::sendrecv, Axis::cp, times * (2 * c - 1), times * 3 * (c - 1) * keys_and_values});
}

void add_ring_float_gradients(Volumes& volumes, const Layout& layout, const Step& step,
                              Count attentions, const AttentionTensors& tensors) {
  // Keys and values are two messages, and so are their gradients.
  const Count c = number_of(layout.cp), times = number_of(step.micro_batches) * attentions;
  const Bytes hops = 2 * (c - 1) * tensors.keys_and_values * size_of(step.activations);
  const Bytes gradients = c * tensors.keys_and_values * size_of(DataType::float32);
  volumes.push_back(
      {Collective::sendrecv, Axis::cp, times * 2 * (3 * c - 2), times * (hops + gradients)});
}

}  // namespace

void require_known_tensor_traffic(const Model& model, const Layout& layout, const Step& step,
                                  TensorParallel implementation) {
  if (layout.tp == 1) return;
  if (model.prediction_layers > 0) {
    throw UserError(
        fmt::format("what tensor parallelism sends for the prediction layers of {} is not known: "
                    "they gather tensors of their own; set tp to 1, or prediction_layers to 0",
                    model.name));
  }
  const bool known = step.sequence_parallel && implementation == TensorParallel::megatron;
  if (model.latent_attention && !known) {
    throw UserError(
        fmt::format("what tensor parallelism sends for the latent attention of {} is only known of "
                    "Megatron with sequence parallelism; choose that, or set tp to 1",
                    model.name));
  }
}

Volumes tensor_parallel_layers(const Model& model, const Layout& layout, const Step& step, int pp,
                               TensorParallel implementation) {
  require_known_tensor_traffic(model, layout, step, implementation);
  const LayerCount on_rank = layers(model, layout, pp);
  const Count pairs = column_row_pairs(model, on_rank);
  const Count again = step.recompute == Recompute::full ? 1 : 0;  // the forward pass
  const Bytes x = activation_bytes(model, layout, step);
  Volumes volumes;
  if (!step.sequence_parallel) {
    add(volumes, layout, step, Collective::all_reduce, Axis::tp, (2 + again) * pairs, x);
    return volumes;
  }
  const Count regather = implementation == TensorParallel::megatron ? 1 : 0;
  add(volumes, layout, step, Collective::all_gather, Axis::tp, (2 + regather + again) * pairs, x);
  add(volumes, layout, step, Collective::reduce_scatter, Axis::tp, (2 + again) * pairs, x);
  if (model.latent_attention && layout.tp > 1) {
    add_latent_attention(volumes, model, layout, step, on_rank.all);
  }
  return volumes;
}

Volumes vocabulary_parallel(const Model& model, const Layout& layout, const Step& step, int pp) {
  const Count embedding = holds_first_stage(pp) ? 1 : 0;
  const Count head = holds_last_stage(layout, pp) ? 1 : 0;
  const Bytes x = activation_bytes(model, layout, step);
  Volumes volumes;
  if (!step.sequence_parallel) {
    // Forward of the embedding, backward of the head.
    add(volumes, layout, step, Collective::all_reduce, Axis::tp, embedding + head, x);
    return volumes;
  }
  // The embedding scatters forward and gathers backward; the head gathers in both directions, and
  // scatters the gradient of its input.
  add(volumes, layout, step, Collective::all_gather, Axis::tp, embedding + 2 * head, x);
  add(volumes, layout, step, Collective::reduce_scatter, Axis::tp, embedding + head, x);
  return volumes;
}

Volumes vocabulary_parallel_loss(const Model&, const Layout& layout, const Step& step, int pp,
                                 bool fused) {
  Volumes volumes;
  if (!holds_last_stage(layout, pp) || layout.tp == 1) return volumes;
  const Count micro_batches = number_of(step.micro_batches);
  const Bytes each = tokens(layout, step) * size_of(DataType::float32);
  volumes.push_back({Collective::all_reduce, Axis::tp, micro_batches * (fused ? 2 : 3),
                     micro_batches * 3 * each});
  return volumes;
}

Volumes sequence_parallel_gradients(const Model& model, const Layout& layout, const Step& step,
                                    int pp) {
  require_known_tensor_traffic(model, layout, step);
  Volumes volumes;
  if (layout.tp == 1 || !step.sequence_parallel) return volumes;
  Count elements_held = 0;
  for (int chunk = 0; chunk < layout.vpp; ++chunk) {
    for (const Block& block : stage_blocks(model, layout, stage_of(layout, pp, chunk))) {
      if (block.kind == Block::Kind::embedding) continue;
      for (const Tensor& tensor : block.tensors) {
        if (tensor.split == Split::none && !tensor.expert) elements_held += elements(tensor);
      }
    }
  }
  volumes.push_back(
      {Collective::all_reduce, Axis::tp, 1, elements_held * size_of(DataType::float32)});
  return volumes;
}

Volumes context_parallel(const Model& model, const Layout& layout, const Step& step, int pp,
                         ContextParallel scheme) {
  Volumes volumes;
  if (layout.cp == 1) return volumes;
  const Count attentions = layers(model, layout, pp).all;
  const Count c = number_of(layout.cp);
  const Bytes wide = size_of(step.activations);
  const bool whole_heads = scheme == ContextParallel::all_to_all;
  if (whole_heads) require_ulysses(model, layout);
  const AttentionTensors tensors =
      attention_tensors(model, layout, step, whole_heads ? layout.cp : 1);
  switch (scheme) {
    case ContextParallel::ring:
      add_ring(volumes, layout, step, attentions, tensors.keys_and_values * wide);
      break;
    case ContextParallel::ring_float_gradients:
      add_ring_float_gradients(volumes, layout, step, attentions, tensors);
      break;
    case ContextParallel::all_gather: {
      // Keys and values apart: gathered forward and again backward, their gradients scattered.
      const Count times = number_of(step.micro_batches) * attentions;
      const Bytes both = times * c * tensors.keys_and_values * wide;
      volumes.push_back({Collective::all_gather, Axis::cp, times * 4, 2 * both});
      volumes.push_back({Collective::reduce_scatter, Axis::cp, times * 2, both});
      break;
    }
    case ContextParallel::all_to_all: {
      // Queries, keys and values before, the output after; backward the same.
      const Count times = number_of(step.micro_batches) * attentions;
      const Count all = tensors.query + tensors.keys_and_values + tensors.output;
      volumes.push_back({Collective::alltoall, Axis::cp, times * 8, times * 2 * all * wide});
      break;
    }
  }
  return volumes;
}

Volumes pipeline(const Model& model, const Layout& layout, const Step& step, int pp) {
  Volumes volumes;
  if (layout.pp == 1) return volumes;
  const Count stages = number_of(layout.vpp);
  const Count forward = stages - (holds_last_stage(layout, pp) ? 1 : 0);
  const Count backward = stages - (holds_first_stage(pp) ? 1 : 0);
  const Count parts = step.sequence_parallel ? number_of(layout.tp) : 1;
  add(volumes, layout, step, Collective::sendrecv, Axis::pp, forward + backward,
      activation_bytes(model, layout, step) / parts);
  return volumes;
}

Volumes expert_parallel(const Model& model, const Layout& layout, const Step& step, int pp) {
  Volumes volumes;
  if (!model.experts) return volumes;
  const Experts& experts = *model.experts;
  const Count expert_layers = layers(model, layout, pp).experts;
  const Count passes = step.recompute == Recompute::full ? 3 : 2;  // forward again
  const Count parts = step.sequence_parallel ? number_of(layout.tp) : 1;
  const Count rows = tokens(layout, step) / parts * number_of(experts.per_token);
  const Bytes row = model.hidden * size_of(step.activations);
  const Bytes probability = size_of(DataType::float32);
  // Token counts, in the forward pass only; every rank contributes one count per expert.
  add(volumes, layout, step, Collective::all_gather, Axis::etp_ep, expert_layers * (passes - 1),
      number_of(experts.routed * size_of(layout, Axis::etp_ep)) * size_of(DataType::int64));
  // Tokens out and back, probabilities out.
  add(volumes, layout, step, Collective::alltoallv, Axis::ep, 2 * expert_layers * passes,
      rows * row);
  add(volumes, layout, step, Collective::alltoallv, Axis::ep, expert_layers * passes,
      rows * probability);
  // Within an expert that is divided: gathered before it and scattered after it; the gradients of
  // probabilities are scattered too.
  const Bytes within = number_of(expert_tp(layout)) * rows;
  add(volumes, layout, step, Collective::all_gather, Axis::etp, expert_layers * passes,
      within * row);
  add(volumes, layout, step, Collective::reduce_scatter, Axis::etp, expert_layers * passes,
      within * row);
  add(volumes, layout, step, Collective::all_gather, Axis::etp, expert_layers * (passes - 1),
      within * probability);
  add(volumes, layout, step, Collective::reduce_scatter, Axis::etp, expert_layers,
      within * probability);
  return volumes;
}

}  // namespace collbench::model
