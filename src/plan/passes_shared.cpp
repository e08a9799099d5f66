// SPDX-License-Identifier: Apache-2.0
// Passes of shared experts that are computed beside the way of tokens to the other experts and
// back: their column-parallel part beside the way there, their row-parallel part beside the way
// back. The backward pass mirrors that.
//
// On a stream of their own, which waits for what is computed before, as Megatron-LM has it wait for
// the stream of the experts.
//
// Source: Megatron-LM, core/transformer/moe/shared_experts.py and token_dispatcher.py,
// moe_shared_expert_overlap.
#include <stdexcept>

#include "plan/passes.h"

namespace collbench::plan {

std::vector<Passes::Part> Passes::parts_of(const HeldBlock& block) const {
  std::vector<Part> parts;
  for (const Half& half : block.halves) {
    if (overlaps_shared_ && half.kind == Half::Kind::shared_experts) {
      if (parts.empty() || parts.back().half->kind != Half::Kind::experts) {
        throw std::logic_error(block.name + " has shared experts that follow no others");
      }
      parts.back().shared = &half;
    } else {
      parts.push_back({&half});
    }
  }
  return parts;
}

/// Of what others use at the same time they need their own.
void Passes::make_shared_slots() {
  Count inner = 0;
  for (const HeldBlock& block : held_.blocks) {
    for (const Half& half : block.halves) {
      if (half.kind == Half::Kind::shared_experts) inner = work_.inner(half);
    }
  }
  if (inner == 0) return;
  const Bytes element = size_of(step_.activations);
  shared_inner_ = b_.slot("shared inner", inner * element);
  shared_output_ = b_.slot("shared outputs", work_.kept_activation() * element);
  shared_gradient_ = b_.slot("shared gradients", work_.kept_activation() * element);
}

void Passes::forward_shared_column(const Half& half, SlotIndex x) {
  compute(half.name + " inputs", work_.forward(half.column), with_weights(half.column, {x}),
          {shared_inner_}, kSharedStream);
}

void Passes::forward_shared_row(const Half& half) {
  compute(half.name + " output", work_.forward(half.row), with_weights(half.row, {shared_inner_}),
          {unreduced(shared_output_)}, kSharedStream);
  reduce(half.name.c_str(), partial_, shared_output_);
}

void Passes::backward_shared_row(const Half& half, const Pass& pass, Gradients which,
                                 SlotIndex dy) {
  if (which != Gradients::weights) {
    compute(half.name + " row inputs", work_.input_gradient(half.row),
            with_weights(half.row, {dy, saved_}), {shared_inner_}, kSharedStream);
  }
  if (which == Gradients::inputs) return;
  weight_gradients(half.name + " row weights", work_.weight_gradient(half.row), half.row, pass,
                   {dy, saved_}, kSharedStream);
}

void Passes::backward_shared_column(const Half& half, const Pass& pass, Gradients which) {
  const SlotIndex x = which == Gradients::inputs ? saved_ : saved_input();
  if (which != Gradients::weights) {
    compute(half.name + " column inputs", work_.input_gradient(half.column),
            with_weights(half.column, {shared_inner_}), {unreduced(shared_gradient_)},
            kSharedStream);
    reduce(half.name.c_str(), partial_, shared_gradient_);
  }
  if (which == Gradients::inputs) return;
  weight_gradients(half.name + " column weights", work_.weight_gradient(half.column), half.column,
                   pass, {shared_inner_, x}, kSharedStream);
}

}  // namespace collbench::plan
