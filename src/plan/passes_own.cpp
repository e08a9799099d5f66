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

void Passes::make_routed() {
  const Count rows = work_.routed_rows();
  const auto of_tokens = [&](const char* what) {
    return share(what, model::Axis::etp, step_.activations, rows * model_.hidden, false);
  };
  routed_ = {of_tokens("routed tokens"),
             share("probabilities", model::Axis::etp, DataType::float32, rows, false)};
  expert_outputs_ = of_tokens("expert outputs");
  const auto ranks = static_cast<Count>(b_.ranks_on(model::Axis::etp_ep));
  if (ranks == 1) return;
  const Bytes counts = static_cast<Count>(model_.experts->routed) * size_of(DataType::int64);
  token_counts_ = b_.slot("token counts", counts);
  all_token_counts_ = b_.slot("token counts gathered", ranks * counts);
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

/// How many tokens each rank has for each expert; the host needs it for the sizes of what follows.
void Passes::exchange_token_counts() {
  const auto experts = static_cast<Count>(model_.experts->routed);
  const auto exchanged =
      b_.communicate("etp", fmt::format("{} gather token counts", where_),
                     {collective(Collective::all_gather, model::Axis::etp_ep, DataType::int64,
                                 experts, token_counts_, all_token_counts_)});
  if (exchanged) b_.wait(fmt::format("{} token counts", where_), {*exchanged});
}

// ---- the passes

void Passes::forward_own_half(const Half& half, SlotIndex in, SlotIndex out) {
  const std::vector<Shared>& shared = has_experts(half) ? routed_ : latents_;
  Slots own, all;
  for (const Shared& each : shared) {
    own.push_back(each.own);
    all.push_back(each.all);
  }
  if (has_experts(half)) own.push_back(token_counts_);
  compute(half.name + " own tokens", work_.forward(half.own), with_weights(half.own, {in}), own);
  if (has_experts(half)) exchange_token_counts();
  for (const Shared& each : shared) gather(each, each.own, each.all);
  std::vector<Gemm> gemms = work_.forward({half.column.first, half.row.last});
  if (half.attends()) gemms.push_back(work_.attention());
  const SlotIndex result = has_experts(half) ? expert_outputs_.all : unreduced(out);
  compute(half.name, gemms, with_weights({half.column.first, half.row.last}, all), {result});
  if (!has_experts(half)) return reduce(half.name.c_str(), partial_, out);
  scatter(expert_outputs_, expert_outputs_.all, expert_outputs_.own);
  compute(half.name + " combine", {}, {expert_outputs_.own}, {out});
}

void Passes::backward_own_half(const Half& half, const Pass& pass, Gradients which, SlotIndex in,
                               SlotIndex out) {
  const std::vector<Shared>& shared = has_experts(half) ? routed_ : latents_;
  Slots own = {saved_}, all;
  for (const Shared& each : shared) {
    own.push_back(each.own_gradient);
    all.push_back(each.all_gradient);
  }
  SlotIndex dy = saved_;
  if (which != Gradients::weights && has_experts(half)) {
    dy = expert_outputs_.all_gradient;
    compute(half.name + " distribute", {}, {in}, {expert_outputs_.own_gradient});
    gather(expert_outputs_, expert_outputs_.own_gradient, dy);
  } else if (which != Gradients::weights) {
    dy = gather("gather gradient", in, whole_dy_);
  }
  row_gradients(half, pass, which, dy);
  Slots reads = {inner_};
  if (which != Gradients::inputs) {
    for (const SlotIndex slot : saved_for(shared)) reads.push_back(slot);
  }
  if (which != Gradients::weights) {
    compute(half.name + " column inputs", work_.input_gradient(half.column),
            with_weights(half.column, {inner_}), all);
    for (const Shared& each : shared) scatter(each, each.all_gradient, each.own_gradient);
  }
  if (which != Gradients::inputs) {
    weight_gradients(half.name + " column weights", work_.weight_gradient(half.column), half.column,
                     pass, reads);
  }
  if (which != Gradients::weights) {
    compute(half.name + " own inputs", work_.input_gradient(half.own), with_weights(half.own, own),
            {out});
  }
  if (which != Gradients::inputs) {
    weight_gradients(half.name + " own weights", work_.weight_gradient(half.own), half.own, pass,
                     own);
  }
}

/// Where the gradients of weights find what their matrices were given.
Slots Passes::saved_for(const std::vector<Shared>& shared) {
  Slots slots = {saved_};
  for (const Shared& each : shared) {
    if (!each.comes_again) continue;
    b_.hold_communication_until_computed();
    gather(each, saved_, each.all);
    slots.push_back(each.all);
  }
  return slots;
}

}  // namespace collbench::plan
