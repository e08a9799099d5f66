// SPDX-License-Identifier: Apache-2.0
// Closed forms of context parallelism.
#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "model/closed_forms.h"
#include "model/feasibility.h"
#include "model/rank_work.h"

namespace collbench::model {
namespace {

/// Elements of one micro-batch and layer on a rank.
struct AttentionTensors {
  Count query, keys_and_values, output;
};

/// `least_kv_heads`: at least so many on a rank.
AttentionTensors attention_tensors(const Model& model, const Layout& layout, const Step& step,
                                   int least_kv_heads) {
  const int t = layout.tp, own = model.latent_attention ? model.heads : model.kv_heads;
  const Count on_rank = number_of(std::max({own / t, 1, least_kv_heads}));
  const Count each = tokens(layout, step), heads = number_of(model.heads / t);
  const Count key = query_head_dim(model), value = value_head_dim(model);
  return {each * heads * key, each * on_rank * (key + value), each * heads * value};
}

/// Attentions of a step on a rank: forward, once more where layers are recomputed, and backward.
struct Attentions {
  Count forward = 0, backward = 0;
};

Attentions attentions(const Model& model, const Layout& layout, const Step& step, int pp) {
  const Count each = number_of(step.micro_batches) * layers(model, layout, pp).all;
  return {step.recompute == Recompute::full ? 2 * each : each, each};
}

void add_ring(Volumes& volumes, const Layout& layout, Axis axis, Attentions times,
              Bytes keys_and_values) {
  // Forward each hop is one message. Backward the first hop carries keys and values, the last their
  // gradients, and those between both: c messages for 2(c - 1) of them.
  const Count c = number_of(size_of(layout, axis));
  if (c == 1) return;
  volumes.push_back({Collective::sendrecv, axis, times.forward * (c - 1) + times.backward * c,
                     (times.forward + 2 * times.backward) * (c - 1) * keys_and_values});
}

void add_ring_float_gradients(Volumes& volumes, const Layout& layout, const Step& step,
                              Attentions times, const AttentionTensors& tensors) {
  // Keys and values are two messages, and so are their gradients.
  const Count c = number_of(layout.cp), hops = (times.forward + times.backward) * (c - 1);
  const Count home = times.backward * c;
  volumes.push_back({Collective::sendrecv, Axis::cp, 2 * (hops + home),
                     tensors.keys_and_values *
                         (hops * size_of(step.activations) + home * size_of(DataType::float32))});
}

void add_gathers(Volumes& volumes, const Layout& layout, Attentions times, Bytes keys_and_values) {
  // Keys and values apart: gathered forward and again backward, their gradients scattered.
  const Bytes both = number_of(layout.cp) * keys_and_values;
  const Count gathers = times.forward + times.backward;
  volumes.push_back({Collective::all_gather, Axis::cp, 2 * gathers, gathers * both});
  volumes.push_back(
      {Collective::reduce_scatter, Axis::cp, 2 * times.backward, times.backward * both});
}

void add_exchanges_of_heads(Volumes& volumes, Axis axis, Attentions times, Bytes all) {
  // Queries, keys and values before, the output after; backward the same.
  const Count exchanges = times.forward + times.backward;
  volumes.push_back({Collective::alltoall, axis, 4 * exchanges, exchanges * all});
}

/// How many ranks exchange tokens for heads.
int exchanging(const Layout& layout, ContextParallel scheme) {
  if (scheme == ContextParallel::all_to_all) return layout.cp;
  return scheme == ContextParallel::hierarchical ? layout.cp_a2a : 1;
}

}  // namespace

void require_known_context_traffic(const Model& model, const Layout& layout,
                                   ContextParallel scheme) {
  if (layout.cp == 1) return;
  const bool ring = scheme == ContextParallel::ring || scheme == ContextParallel::hierarchical;
  if (model.latent_attention && !ring) {
    throw UserError(
        fmt::format("keys and values of the latent attention of {} differ in size, which only "
                    "TransformerEngine's ring sends; choose p2p or a2a+p2p, or set cp to 1",
                    model.name));
  }
  require_ulysses(model, layout, exchanging(layout, scheme));
}

Volumes context_parallel(const Model& model, const Layout& layout, const Step& step, int pp,
                         ContextParallel scheme) {
  require_known_context_traffic(model, layout, scheme);
  Volumes volumes;
  if (layout.cp == 1) return volumes;
  const Attentions times = attentions(model, layout, step, pp);
  const AttentionTensors tensors =
      attention_tensors(model, layout, step, exchanging(layout, scheme));
  const Bytes wide = size_of(step.activations), keys_and_values = tensors.keys_and_values * wide;
  const Bytes all = keys_and_values + (tensors.query + tensors.output) * wide;
  switch (scheme) {
    case ContextParallel::ring:
      add_ring(volumes, layout, Axis::cp, times, keys_and_values);
      break;
    case ContextParallel::ring_float_gradients:
      add_ring_float_gradients(volumes, layout, step, times, tensors);
      break;
    case ContextParallel::all_gather:
      add_gathers(volumes, layout, times, keys_and_values);
      break;
    case ContextParallel::all_to_all:
      add_exchanges_of_heads(volumes, Axis::cp, times, all);
      break;
    case ContextParallel::hierarchical:
      if (layout.cp_a2a == 1) break;
      add_exchanges_of_heads(volumes, Axis::cp_a2a, times, all);
      add_ring(volumes, layout, Axis::cp_p2p, times, keys_and_values);
      break;
  }
  return volumes;
}

}  // namespace collbench::model
