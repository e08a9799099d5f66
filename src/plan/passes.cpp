// SPDX-License-Identifier: Apache-2.0
#include "plan/passes.h"

#include <fmt/format.h>

#include <algorithm>

namespace collbench::plan {
namespace {

using Kind = model::Block::Kind;
using Slots = std::vector<SlotIndex>;

Slots real(Slots slots) {
  std::erase(slots, kNoSlot);
  return slots;
}

std::vector<Gemm> joined(std::vector<Gemm> a, const std::vector<Gemm>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

Passes::Passes(const TrafficContext& context, const model::Model& model,
               ParameterTraffic& parameters, const TensorOptions& options,
               const ContextOptions& context_options, const ExpertOptions& expert_options,
               const ExpertRoutes& routes)
    : b_(context.builder),
      held_(context.held),
      model_(model),
      step_(context.step),
      parameters_(parameters),
      options_(options),
      work_(model, context.layout, context.step, context.held,
            routes.expert_rows(model, model::position(context.layout, model::Axis::ep,
                                                      b_.rank_class().first_rank))),
      is_divided_(context.layout.tp > 1),
      is_sequential_(is_divided_ && context.step.sequence_parallel),
      shared_attention_(context_attention(context, model, work_, context_options)),
      overlaps_shared_(expert_options.overlaps_shared && context.layout.ep > 1) {
  const Bytes element = size_of(step_.activations);
  const Bytes kept = work_.kept_activation() * element, all = work_.activation() * element;
  x_ = b_.slot("x", kept);
  dx_ = b_.slot("dx", kept);
  saved_ = b_.slot("saved activations", kept);
  inner_ = b_.slot("inner", work_.inner() * element);
  whole_ = is_sequential_ ? b_.slot("x gathered", all) : kNoSlot;
  whole_dy_ = is_sequential_ ? b_.slot("dy gathered", all) : kNoSlot;
  partial_ = is_divided_ ? b_.slot("partial sums", all) : kNoSlot;
  logits_ = b_.slot("loss", work_.tokens() * size_of(DataType::float32) * 2);
  if (model.latent_attention) make_latents();
  if (model.experts) experts_.emplace(b_, model, step_, expert_options, routes);
  if (overlaps_shared_) make_shared_slots();
}

void Passes::forward(std::size_t block, const Pass& pass, SlotIndex in, SlotIndex out) {
  const HeldBlock& held = held_.blocks[block];
  layer_ = held.layer;
  where_ = fmt::format("F{} {}", pass.micro_batch, held.name);
  parameters_.before_forward(block, pass);
  if (held.kind == Kind::embedding) forward_embedding(held, out);
  if (held.kind == Kind::head) forward_head(held, in);
  const std::vector<Part> parts = parts_of(held);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    forward_part(parts[p], p == 0 ? in : x_, p + 1 == parts.size() ? out : x_);
  }
  if (held.kind == Kind::prediction) predict_words(out);
  parameters_.after_forward(block, pass);
}

void Passes::backward(std::size_t block, const Pass& pass, Gradients which, SlotIndex in,
                      SlotIndex out) {
  const HeldBlock& held = held_.blocks[block];
  layer_ = held.layer;
  const char letter = which == Gradients::weights ? 'W' : 'B';
  where_ = fmt::format("{}{} {}", letter, pass.micro_batch, held.name);
  if (which != Gradients::weights) parameters_.before_backward(block, pass);
  if (which != Gradients::weights && step_.recompute == model::Recompute::full) recompute(held);
  if (held.kind == Kind::embedding && which != Gradients::inputs) {
    backward_embedding(held, pass, in);
  }
  if (held.kind == Kind::head) backward_head(held, pass, which, out);
  if (held.kind == Kind::prediction) learn_from_words(which);
  const std::vector<Part> parts = parts_of(held);
  for (std::size_t p = parts.size(); p-- > 0;) {
    backward_part(parts[p], pass, which, p + 1 == parts.size() ? in : dx_, p == 0 ? out : dx_);
  }
  if (which != Gradients::inputs) parameters_.after_backward(block, pass);
}

// ---- layers

void Passes::forward_part(const Part& part, SlotIndex in, SlotIndex out) {
  const Half& half = *part.half;
  if (half.has_own()) return forward_own_half(part, in, out);
  const SlotIndex x = gather("gather input", in, whole_);
  forward_matrices(half, {x}, unreduced(out));
  reduce(half.name.c_str(), partial_, out);
}

/// The column- and the row-parallel part, and attention between them.
void Passes::forward_matrices(const Half& half, Slots reads, SlotIndex result) {
  const TensorRange all = {half.column.first, half.row.last};
  std::vector<Gemm> gemms = work_.forward(half.column);
  if (!half.attends() || shared_attention_ == nullptr) {
    if (half.attends()) gemms.push_back(work_.attention());
    compute(half.name, joined(gemms, work_.forward(half.row)), with_weights(all, std::move(reads)),
            {result});
    return;
  }
  compute(half.name + " inputs", gemms, with_weights(half.column, std::move(reads)),
          shared_attention_->inputs());
  shared_attention_->forward(fmt::format("{} {}", where_, half.name));
  compute(half.name + " output", work_.forward(half.row),
          with_weights(half.row, {shared_attention_->output()}), {result});
}

/// The forward pass once more, of which only what the backward pass needs is used.
void Passes::recompute(const HeldBlock& block) {
  for (const Part& part : parts_of(block)) forward_part(part, saved_, x_);
}

void Passes::backward_part(const Part& part, const Pass& pass, Gradients which, SlotIndex in,
                           SlotIndex out) {
  const Half& half = *part.half;
  if (half.has_own()) return backward_own_half(part, pass, which, in, out);
  const SlotIndex dy =
      which == Gradients::weights ? saved_ : gather("gather gradient", in, whole_dy_);
  row_gradients(half, pass, which, dy);
  column_gradients(half, pass, which, out);
}

void Passes::row_gradients(const Half& half, const Pass& pass, Gradients which, SlotIndex dy) {
  const bool shares = half.attends() && shared_attention_ != nullptr;
  const SlotIndex inputs = shares ? shared_attention_->output_gradient() : inner_;
  if (which != Gradients::weights) {
    std::vector<Gemm> gemms = work_.input_gradient(half.row);
    if (half.attends() && !shares) {
      const int times = step_.recompute == model::Recompute::selective ? 3 : 2;
      gemms.insert(gemms.end(), times, work_.attention());
    }
    compute(half.name + " row inputs", gemms, with_weights(half.row, {dy, saved_}), {inputs});
  }
  if (which != Gradients::inputs) {
    weight_gradients(half.name + " row weights", work_.weight_gradient(half.row), half.row, pass,
                     {dy, saved_});
  }
  if (which != Gradients::weights && shares) {
    shared_attention_->backward(fmt::format("{} {}", where_, half.name), saved_, inner_);
  }
}

void Passes::column_gradients(const Half& half, const Pass& pass, Gradients which, SlotIndex out) {
  const SlotIndex x = which == Gradients::inputs ? saved_ : saved_input();
  if (which != Gradients::weights) {
    compute(half.name + " column inputs", work_.input_gradient(half.column),
            with_weights(half.column, {inner_}), {unreduced(out)});
    reduce(half.name.c_str(), partial_, out);
  }
  if (which == Gradients::inputs) return;
  weight_gradients(half.name + " column weights", work_.weight_gradient(half.column), half.column,
                   pass, {inner_, x});
}

// ---- the vocabulary

void Passes::forward_embedding(const HeldBlock& block, SlotIndex out) {
  compute("look up", {}, with_weights(block.tensors, {}), {unreduced(out)});
  reduce("embedding", partial_, out);
}

void Passes::backward_embedding(const HeldBlock& block, const Pass& pass, SlotIndex in) {
  const SlotIndex dy = gather("gather gradient", in, whole_dy_);
  weight_gradients("weights", {}, block.tensors, pass, {dy});
}

void Passes::forward_head(const HeldBlock& block, SlotIndex in) {
  const SlotIndex x = gather("gather input", in, whole_);
  compute("logits", {work_.head()}, with_weights(block.tensors, {x}), {logits_});
  loss();
}

void Passes::backward_head(const HeldBlock& block, const Pass& pass, Gradients which,
                           SlotIndex out) {
  const SlotIndex x = which == Gradients::inputs ? saved_ : saved_input();
  if (which != Gradients::weights) {
    compute("inputs", {work_.head()}, with_weights(block.tensors, {logits_}), {unreduced(out)});
    reduce("head", partial_, out);
  }
  if (which == Gradients::inputs) return;
  weight_gradients("weights", {work_.head()}, block.tensors, pass, {logits_, x});
}

/// By the head's matrix, which the head's block holds.
void Passes::predict_words(SlotIndex x) { compute("logits", {work_.head()}, {x}, {logits_}); }

void Passes::learn_from_words(Gradients which) {
  if (which != Gradients::weights) compute("logits inputs", {work_.head()}, {logits_}, {dx_});
  if (which != Gradients::inputs) compute("logits weights", {work_.head()}, {logits_, saved_}, {});
}

/// Cross entropy of logits whose vocabulary is divided: the largest logit, so that exponentials
/// stay finite, the logit of the right word, the sum of exponentials.
void Passes::loss() {
  const auto exchange = [&](const char* what, Count count, ReduceOp op) {
    b_.communicate("tp", fmt::format("{} {}", where_, what),
                   {collective(Collective::all_reduce, model::Axis::tp, DataType::float32, count,
                               logits_, logits_, op)});
  };
  exchange("largest logit", work_.tokens(), ReduceOp::max);
  if (options_.fused_loss) return exchange("loss", 2 * work_.tokens(), ReduceOp::sum);
  exchange("predicted logit", work_.tokens(), ReduceOp::sum);
  exchange("sum of exponentials", work_.tokens(), ReduceOp::sum);
}

// ---- what they are made of

/// A kept activation from all ranks, where they keep parts: the slot to read it from. Between it
/// and what was computed before lies a norm, which is no operation of its own here.
SlotIndex Passes::gather(const char* what, SlotIndex from, SlotIndex to) {
  if (!is_sequential_) return from;
  b_.hold_communication_until_computed();
  b_.communicate("tp", fmt::format("{} {}", where_, what),
                 {collective(Collective::all_gather, model::Axis::tp, step_.activations,
                             work_.kept_activation(), from, to)});
  return to;
}

void Passes::reduce(const char* what, SlotIndex from, SlotIndex to) {
  if (!is_divided_) return;
  const Collective kind = is_sequential_ ? Collective::reduce_scatter : Collective::all_reduce;
  const Count count = is_sequential_ ? work_.kept_activation() : work_.activation();
  b_.communicate("tp", fmt::format("{} reduce {}", where_, what),
                 {collective(kind, model::Axis::tp, step_.activations, count, from, to)});
}

/// Megatron keeps a part of a column-parallel layer's input and gathers it again.
SlotIndex Passes::saved_input() {
  if (options_.implementation != model::TensorParallel::megatron) return saved_;
  return gather("gather saved input", saved_, whole_);
}

OpIndex Passes::compute(const std::string& what, std::vector<Gemm> gemms, Slots reads, Slots writes,
                        const char* stream) {
  return b_.compute(fmt::format("{} {}", where_, what), std::move(gemms), real(std::move(reads)),
                    real(std::move(writes)), stream);
}

void Passes::weight_gradients(const std::string& what, std::vector<Gemm> gemms, TensorRange tensors,
                              const Pass& pass, Slots reads, const char* stream) {
  compute(what, std::move(gemms), std::move(reads), parameters_.gradients(tensors), stream);
  parameters_.gradients_ready(tensors, pass);
}

Slots Passes::with_weights(TensorRange tensors, Slots reads) {
  const Slots weights = parameters_.weights(tensors);
  reads.insert(reads.end(), weights.begin(), weights.end());
  return reads;
}

}  // namespace collbench::plan
