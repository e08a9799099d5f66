// SPDX-License-Identifier: Apache-2.0
// Closed forms of the schemes that divide the model: tensor, pipeline and expert parallelism.
#include <fmt/format.h>

#include "base/errors.h"
#include "model/closed_forms.h"
#include "model/parameters.h"
#include "model/rank_work.h"
#include "model/routing.h"

namespace collbench::model {
namespace {

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

// ---- experts

/// With layers that are recomputed.
Count forward_passes(const Step& step) { return step.recompute == Recompute::full ? 2 : 1; }

/// Bytes of a row on the way to experts, and back.
struct RowBytes {
  Bytes out, back;
};

RowBytes row_bytes(const Model& model, const Step& step, const ExpertDispatch& dispatch) {
  const Bytes row = model.hidden * size_of(step.activations);
  return {dispatch.float8 ? float8_row_bytes(model.hidden) : row, row};
}

/// Rows of each rank to experts and back, in both directions: tokens out as often as gradients of
/// what the experts made of them, and the other way round.
void add_rows(Volumes& volumes, const Model& model, const Layout& layout, const Step& step, int pp,
              const ExpertDispatch& dispatch, Count rows) {
  const Count expert_layers = layers(model, layout, pp).experts;
  const Count passes = forward_passes(step) + 1;
  const RowBytes row = row_bytes(model, step, dispatch);
  const Bytes probability = size_of(DataType::float32);
  const Count both = expert_layers * passes;
  if (row.out == row.back) {
    add(volumes, layout, step, Collective::alltoallv, Axis::ep, 2 * both, rows * row.out);
  } else {
    add(volumes, layout, step, Collective::alltoallv, Axis::ep, both, rows * row.out);
    add(volumes, layout, step, Collective::alltoallv, Axis::ep, both, rows * row.back);
  }
  add(volumes, layout, step, Collective::alltoallv, Axis::ep, both, rows * probability);
  // Within an expert that is divided: gathered before it and scattered after it; the gradients of
  // probabilities are scattered too.
  const Bytes within = number_of(expert_tp(layout)) * rows;
  add(volumes, layout, step, Collective::all_gather, Axis::etp, both, within * row.out);
  add(volumes, layout, step, Collective::reduce_scatter, Axis::etp, both, within * row.back);
  add(volumes, layout, step, Collective::all_gather, Axis::etp, expert_layers * (passes - 1),
      within * probability);
  add(volumes, layout, step, Collective::reduce_scatter, Axis::etp, expert_layers,
      within * probability);
}

/// Tokens of all ranks to all ranks, with a flag and a probability for each expert.
void add_gathers(Volumes& volumes, const Model& model, const Layout& layout, const Step& step,
                 int pp, const ExpertDispatch& dispatch, Count kept_tokens) {
  const Count expert_layers = layers(model, layout, pp).experts;
  const Count forward = expert_layers * forward_passes(step);
  const RowBytes row = row_bytes(model, step, dispatch);
  const Count all = number_of(size_of(layout, Axis::etp_ep)) * kept_tokens;
  const Bytes flags = number_of(model.experts->routed);
  const Bytes probabilities = flags * size_of(DataType::float32);
  add(volumes, layout, step, Collective::all_gather, Axis::etp_ep, forward + expert_layers,
      all * row.out);
  add(volumes, layout, step, Collective::reduce_scatter, Axis::etp_ep, forward + expert_layers,
      all * row.back);
  add(volumes, layout, step, Collective::all_gather, Axis::etp_ep, forward, all * flags);
  add(volumes, layout, step, Collective::all_gather, Axis::etp_ep, forward, all * probabilities);
  add(volumes, layout, step, Collective::reduce_scatter, Axis::etp_ep, expert_layers,
      all * probabilities);
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
  return expert_parallel(model, layout, step, pp, ExpertDispatch{});
}

Volumes expert_parallel(const Model& model, const Layout& layout, const Step& step, int pp,
                        const ExpertDispatch& dispatch) {
  Volumes volumes;
  if (!model.experts) return volumes;
  const Experts& experts = *model.experts;
  const Count parts = step.sequence_parallel ? number_of(layout.tp) : 1;
  const Count kept_tokens = tokens(layout, step) / parts;
  if (dispatch.gathers) {
    add_gathers(volumes, model, layout, step, pp, dispatch, kept_tokens);
    return volumes;
  }
  const Count copies = dispatch.capacity ? number_of(experts.routed) * *dispatch.capacity
                                         : kept_tokens * number_of(experts.per_token);
  // Token counts, in the forward pass only; every rank contributes one count per expert.
  const Count counts = layers(model, layout, pp).experts * forward_passes(step);
  add(volumes, layout, step, Collective::all_gather, Axis::etp_ep, dispatch.capacity ? 0 : counts,
      number_of(experts.routed * size_of(layout, Axis::etp_ep)) * size_of(DataType::int64));
  add_rows(volumes, model, layout, step, pp, dispatch, copies);
  return volumes;
}

Volumes expert_loads(const Model& model, const Layout& layout, int pp) {
  const Count expert_layers = model.experts ? layers(model, layout, pp).experts : 0;
  if (expert_layers == 0 || size_of(layout, Axis::tp_dp_cp) == 1) return {};
  return {{Collective::all_reduce, Axis::tp_dp_cp, 1,
           expert_layers * number_of(model.experts->routed) * size_of(DataType::float32)}};
}

}  // namespace collbench::model
