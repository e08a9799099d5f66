// SPDX-License-Identifier: Apache-2.0
// Passes: what a rank computes in a block, forward and backward, and what tensor parallelism sends
// for it.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/enum_rows.h"
#include "model/closed_forms.h"
#include "plan/held.h"
#include "plan/parameter_traffic.h"

namespace collbench::plan {

struct TensorParallelRow {
  model::TensorParallel implementation;
  std::string_view name;
};

inline constexpr std::array<TensorParallelRow, 2> kTensorParallel = {{
    {model::TensorParallel::megatron, "megatron"},
    {model::TensorParallel::dtensor, "dtensor"},
}};
static_assert(in_enum_order(kTensorParallel, &TensorParallelRow::implementation));

struct TensorOptions {
  model::TensorParallel implementation = model::TensorParallel::megatron;
  bool fused_loss = false;  // predicted logit and sum of exponentials in one message
};

/// Which gradients a backward pass computes: zero-bubble schedules do one after the other.
enum class Gradients : std::uint8_t { both, inputs, weights };

/// Emits the passes of one rank.
///
/// Column- and row-parallel layers in pairs. Without sequence parallelism an all-reduce ends a
/// pair, forward and backward. With it an all-gather starts and a reduce-scatter ends it; Megatron
/// gathers the saved input of a column-parallel layer again in the backward pass. Gathering and
/// scattering in the backward pass overlap with the two products of the column-parallel layer;
/// everything else is waited for.
///
/// Latent attention and experts start with whole matrices for a rank's own tokens (passes_own.cpp).
/// Of latent attention the low-rank queries, keys and values are gathered, in place of the wider
/// activations. Experts that several ranks share (etp) gather the tokens that a router chose, with
/// their probabilities, and reduce-scatter what comes of them; sending tokens to other ranks'
/// experts (ep) is not here: they compute as if it had happened.
///
/// Sources: Megatron-LM, core/tensor_parallel/layers.py and cross_entropy.py,
/// core/transformer/multi_latent_attention.py and moe/token_dispatcher.py; arXiv 2205.05198.
class Passes {
 public:
  Passes(const TrafficContext& context, const model::Model& model, ParameterTraffic& parameters,
         const TensorOptions& options);

  /// From slot `in` to slot `out`; kNoSlot where the pipeline starts or ends.
  void forward(std::size_t block, const Pass& pass, SlotIndex in, SlotIndex out);
  void backward(std::size_t block, const Pass& pass, Gradients which, SlotIndex in, SlotIndex out);

  /// Between blocks: activations, and gradients of them.
  SlotIndex activations() const { return x_; }
  SlotIndex activation_gradients() const { return dx_; }
  const Work& work() const { return work_; }

 private:
  /// What each rank has for its own tokens and other ranks' matrices need: gathered for a pass, its
  /// gradient reduce-scattered after it.
  struct Shared {
    const char* what = nullptr;
    model::Axis axis = model::Axis::tp;
    DataType type = DataType::bfloat16;
    Count count = 0;                         // of a rank
    bool comes_again = false;                // in the backward pass, since only a part is saved
    SlotIndex own = kNoSlot, all = kNoSlot;  // alike where nobody shares
    SlotIndex own_gradient = kNoSlot, all_gradient = kNoSlot;
  };

  void forward_half(const Half& half, SlotIndex in, SlotIndex out);
  void backward_half(const Half& half, const Pass& pass, Gradients which, SlotIndex in,
                     SlotIndex out);
  void forward_own_half(const Half& half, SlotIndex in, SlotIndex out);
  void backward_own_half(const Half& half, const Pass& pass, Gradients which, SlotIndex in,
                         SlotIndex out);
  void recompute(const HeldBlock& block);
  void make_latents();
  void make_routed();
  Shared share(const char* what, model::Axis axis, DataType type, Count count, bool comes_again);
  void gather(const Shared& shared, SlotIndex from, SlotIndex to);
  void scatter(const Shared& shared, SlotIndex from, SlotIndex to);
  void exchange_token_counts();
  std::vector<SlotIndex> saved_for(const std::vector<Shared>& shared);
  void row_gradients(const Half& half, const Pass& pass, Gradients which, SlotIndex dy);
  void column_gradients(const Half& half, const Pass& pass, Gradients which, SlotIndex out);
  void forward_embedding(const HeldBlock& block, SlotIndex out);
  void backward_embedding(const HeldBlock& block, const Pass& pass, SlotIndex in);
  void forward_head(const HeldBlock& block, SlotIndex in);
  void backward_head(const HeldBlock& block, const Pass& pass, Gradients which, SlotIndex out);
  void predict_words(SlotIndex x);
  void learn_from_words(Gradients which);
  void loss();

  SlotIndex gather(const char* what, SlotIndex from, SlotIndex to);
  void reduce(const char* what, SlotIndex from, SlotIndex to);
  SlotIndex saved_input();
  /// Where a pair's result goes before it is reduced.
  SlotIndex unreduced(SlotIndex out) const { return is_divided_ ? partial_ : out; }
  void compute(const std::string& what, std::vector<Gemm> gemms, std::vector<SlotIndex> reads,
               std::vector<SlotIndex> writes);
  void weight_gradients(const std::string& what, std::vector<Gemm> gemms, TensorRange tensors,
                        const Pass& pass, std::vector<SlotIndex> reads);
  std::vector<SlotIndex> with_weights(TensorRange tensors, std::vector<SlotIndex> reads);

  Builder& b_;
  const Held& held_;
  const model::Model& model_;
  const model::Step& step_;
  ParameterTraffic& parameters_;
  TensorOptions options_;
  Work work_;
  bool is_divided_;     // tp > 1
  bool is_sequential_;  // and sequence parallelism
  std::string where_;   // start of labels: "F2 layer 5"
  SlotIndex x_, dx_, whole_, whole_dy_, partial_, inner_, saved_, logits_;
  std::vector<Shared> latents_;  // of latent attention
  std::vector<Shared> routed_;   // what experts work on
  Shared expert_outputs_;        // the other way round: reduce-scattered forward
  SlotIndex token_counts_ = kNoSlot, all_token_counts_ = kNoSlot;  // where several ranks share them
};

}  // namespace collbench::plan
