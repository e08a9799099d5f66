// SPDX-License-Identifier: Apache-2.0
// Passes of halves that start with whole matrices for a rank's own tokens: latent attention, and
// experts.
#include <fmt/format.h>

#include "plan/passes.h"

namespace collbench::plan {
namespace {

using Slots = std::vector<SlotIndex>;

bool has_experts(const Half& half) { return half.kind == Half::Kind::experts; }

}  // namespace

// ---- what ranks share

Passes::Shared Passes::share(const char* what, model::Axis axis, DataType type, Count count,
                             bool comes_again) {
  const auto parts = static_cast<Count>(b_.ranks_on(axis));
  const auto slot = [&](const char* name, Count elements) {
    return b_.slot(fmt::format("{}{}", what, name), elements * size_of(type));
  };
  Shared shared{what, axis, type, count, comes_again && parts > 1};
  shared.own = shared.all = slot("", count);
  shared.own_gradient = shared.all_gradient = slot(" gradients", count);
  if (parts == 1) return shared;
  shared.all = slot(" gathered", parts * count);
  shared.all_gradient = slot(" gradients, partial", parts * count);
  return shared;
}

void Passes::make_latents() {
  const model::LatentAttention& latent = *model_.latent_attention;
  const bool saves_part = options_.implementation == model::TensorParallel::megatron;
  const auto add = [&](const char* what, Count width, bool comes_again) {
    latents_.push_back(
        share(what, model::Axis::tp, step_.activations, work_.kept_tokens() * width, comes_again));
  };
  if (latent.rope_head_dim > 0) add("positions", latent.rope_head_dim, false);
  add("queries", latent.query_rank > 0 ? latent.query_rank : model_.hidden, saves_part);
  add("keys and values", latent.kv_rank, saves_part);
}

void Passes::gather(const Shared& shared, SlotIndex from, SlotIndex to) {
  b_.communicate(
      std::string(name_of(shared.axis)), fmt::format("{} gather {}", where_, shared.what),
      {collective(Collective::all_gather, shared.axis, shared.type, shared.count, from, to)});
}

void Passes::scatter(const Shared& shared, SlotIndex from, SlotIndex to) {
  b_.communicate(
      std::string(name_of(shared.axis)), fmt::format("{} reduce {}", where_, shared.what),
      {collective(Collective::reduce_scatter, shared.axis, shared.type, shared.count, from, to)});
}

// ---- the passes

void Passes::forward_own_half(const Part& part, SlotIndex in, SlotIndex out) {
  const Half& half = *part.half;
  if (has_experts(half)) return forward_experts(part, in, out);
  Slots own, all;
  for (const Shared& each : latents_) {
    own.push_back(each.own);
    all.push_back(each.all);
  }
  compute(half.name + " own tokens", work_.forward(half.own), with_weights(half.own, {in}), own);
  for (const Shared& each : latents_) gather(each, each.own, each.all);
  forward_matrices(half, all, unreduced(out));
  reduce(half.name.c_str(), partial_, out);
}

void Passes::forward_experts(const Part& part, SlotIndex in, SlotIndex out) {
  const Half& half = *part.half;
  const OpIndex router = compute(half.name + " own tokens", work_.forward(half.own),
                                 with_weights(half.own, {in}), experts_->routed());
  experts_->set_counts(router, layer_);
  const SlotIndex x = part.shared != nullptr ? gather("gather input", in, whole_) : kNoSlot;
  experts_->dispatch(layer_, where_);
  if (part.shared != nullptr) forward_shared_column(*part.shared, x);
  forward_matrices(half, experts_->arrived(), experts_->made());
  experts_->combine(layer_, where_);
  if (part.shared != nullptr) forward_shared_row(*part.shared);
  compute(half.name + " combine", {}, {experts_->returned(), shared_output_}, {out});
}

void Passes::backward_own_half(const Part& part, const Pass& pass, Gradients which, SlotIndex in,
                               SlotIndex out) {
  const Half& half = *part.half;
  const bool is_latent = !has_experts(half);
  Slots own = {saved_};
  for (const SlotIndex slot : own_gradients(half)) own.push_back(slot);
  if (part.shared != nullptr) own.push_back(shared_gradient_);
  SlotIndex dy = saved_, shared_dy = saved_;
  if (which != Gradients::weights) {
    if (part.shared != nullptr) shared_dy = gather("gather gradient", in, whole_dy_);
    dy = row_gradient(half, in);
  }
  if (part.shared != nullptr) backward_shared_row(*part.shared, pass, which, shared_dy);
  row_gradients(half, pass, which, dy);
  Slots reads = {inner_};
  if (which != Gradients::inputs) {
    for (const SlotIndex slot : is_latent ? saved_latents() : Slots{saved_}) reads.push_back(slot);
  }
  if (which != Gradients::weights) {
    compute(half.name + " column inputs", work_.input_gradient(half.column),
            with_weights(half.column, {inner_}), column_gradients_of(half));
    if (is_latent) {
      for (const Shared& each : latents_) scatter(each, each.all_gradient, each.own_gradient);
    } else {
      experts_->combine_gradients(layer_, where_);
    }
  }
  if (which != Gradients::inputs) {
    weight_gradients(half.name + " column weights", work_.weight_gradient(half.column), half.column,
                     pass, reads);
  }
  if (part.shared != nullptr) backward_shared_column(*part.shared, pass, which);
  if (which != Gradients::weights) {
    compute(half.name + " own inputs", work_.input_gradient(half.own), with_weights(half.own, own),
            {out});
  }
  if (which != Gradients::inputs) {
    weight_gradients(half.name + " own weights", work_.weight_gradient(half.own), half.own, pass,
                     own);
  }
}

/// The gradient of what the row-parallel part gives, on all ranks that need it.
SlotIndex Passes::row_gradient(const Half& half, SlotIndex in) {
  if (!has_experts(half)) return gather("gather gradient", in, whole_dy_);
  compute(half.name + " distribute", {}, {in}, {experts_->returned_gradient()});
  experts_->dispatch_gradients(layer_, where_);
  return experts_->made_gradient();
}

/// Of what the column-parallel part is given, and of that before ranks shared it.
Slots Passes::column_gradients_of(const Half& half) const {
  if (has_experts(half)) return experts_->arrived_gradients();
  Slots slots;
  for (const Shared& each : latents_) slots.push_back(each.all_gradient);
  return slots;
}

Slots Passes::own_gradients(const Half& half) const {
  if (has_experts(half)) return experts_->routed_gradients();
  Slots slots;
  for (const Shared& each : latents_) slots.push_back(each.own_gradient);
  return slots;
}

/// Where the gradients of weights find what their matrices were given.
Slots Passes::saved_latents() {
  Slots slots = {saved_};
  for (const Shared& each : latents_) {
    if (!each.comes_again) continue;
    b_.hold_communication_until_computed();
    gather(each, saved_, each.all);
    slots.push_back(each.all);
  }
  return slots;
}

}  // namespace collbench::plan
