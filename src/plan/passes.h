// SPDX-License-Identifier: Apache-2.0
// Passes: what a rank computes in a block, forward and backward, and what tensor and context
// parallelism send for it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_rows.h"
#include "model/closed_forms.h"
#include "plan/context_parallel.h"
#include "plan/experts.h"
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
/// activations. Experts work on the tokens that come to them from all ranks (experts.h). Shared
/// experts come after them, or are computed beside the way there and back (passes_shared.cpp).
///
/// Attention of a sequence that context-parallel ranks share stands between the two parts of its
/// half (context_parallel.h).
///
/// Sources: Megatron-LM, core/tensor_parallel/layers.py and cross_entropy.py,
/// core/transformer/multi_latent_attention.py; arXiv 2205.05198.
class Passes {
 public:
  Passes(const TrafficContext& context, const model::Model& model, ParameterTraffic& parameters,
         const TensorOptions& options, const ContextOptions& context_options,
         const ExpertOptions& expert_options, const ExpertRoutes& routes);

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

  /// A half, and the shared experts that are computed beside the way to its experts and back.
  struct Part {
    const Half* half = nullptr;
    const Half* shared = nullptr;
  };

  std::vector<Part> parts_of(const HeldBlock& block) const;
  void forward_part(const Part& part, SlotIndex in, SlotIndex out);
  void backward_part(const Part& part, const Pass& pass, Gradients which, SlotIndex in,
                     SlotIndex out);
  void forward_own_half(const Part& part, SlotIndex in, SlotIndex out);
  void backward_own_half(const Part& part, const Pass& pass, Gradients which, SlotIndex in,
                         SlotIndex out);
  void recompute(const HeldBlock& block);
  void forward_experts(const Part& part, SlotIndex in, SlotIndex out);
  void make_shared_slots();
  void forward_shared_column(const Half& half, SlotIndex x);
  void forward_shared_row(const Half& half);
  void backward_shared_row(const Half& half, const Pass& pass, Gradients which, SlotIndex dy);
  void backward_shared_column(const Half& half, const Pass& pass, Gradients which);
  SlotIndex row_gradient(const Half& half, SlotIndex in);
  std::vector<SlotIndex> column_gradients_of(const Half& half) const;
  std::vector<SlotIndex> own_gradients(const Half& half) const;
  void make_latents();
  Shared share(const char* what, model::Axis axis, DataType type, Count count, bool comes_again);
  void gather(const Shared& shared, SlotIndex from, SlotIndex to);
  void scatter(const Shared& shared, SlotIndex from, SlotIndex to);
  std::vector<SlotIndex> saved_latents();
  void forward_matrices(const Half& half, std::vector<SlotIndex> reads, SlotIndex result);
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
  OpIndex compute(const std::string& what, std::vector<Gemm> gemms, std::vector<SlotIndex> reads,
                  std::vector<SlotIndex> writes, const char* stream = kStream);
  void weight_gradients(const std::string& what, std::vector<Gemm> gemms, TensorRange tensors,
                        const Pass& pass, std::vector<SlotIndex> reads,
                        const char* stream = kStream);
  std::vector<SlotIndex> with_weights(TensorRange tensors, std::vector<SlotIndex> reads);

  static constexpr const char* kStream = "compute";
  static constexpr const char* kSharedStream = "shared experts";

  Builder& b_;
  const Held& held_;
  const model::Model& model_;
  const model::Step& step_;
  ParameterTraffic& parameters_;
  TensorOptions options_;
  Work work_;
  bool is_divided_;                                     // tp > 1
  bool is_sequential_;                                  // and sequence parallelism
  int layer_ = 0;                                       // that a pass is in
  std::string where_;                                   // start of labels: "F2 layer 5"
  std::unique_ptr<ContextAttention> shared_attention_;  // among context-parallel ranks
  SlotIndex x_, dx_, whole_, whole_dy_, partial_, inner_, saved_, logits_;
  std::vector<Shared> latents_;  // of latent attention
  bool overlaps_shared_;         // shared experts with the way to others and back
  SlotIndex shared_inner_ = kNoSlot, shared_output_ = kNoSlot, shared_gradient_ = kNoSlot;  // then
  std::optional<ExpertTraffic> experts_;  // of a model that has some
};

}  // namespace collbench::plan
