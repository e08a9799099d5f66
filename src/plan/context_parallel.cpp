// SPDX-License-Identifier: Apache-2.0
#include "plan/context_parallel.h"

#include <algorithm>

#include "base/errors.h"
#include "plan/context_attention.h"

namespace collbench::plan {
namespace {

using model::Axis;
using model::ContextParallel;

/// How many ranks exchange tokens for heads.
int exchanging(const ContextOptions& options, const model::Layout& layout) {
  if (options.scheme == ContextParallel::all_to_all) return layout.cp;
  return options.scheme == ContextParallel::hierarchical ? layout.cp_a2a : 1;
}

AttentionSetup setup_of(const TrafficContext& context, const model::Model& model, const Work& work,
                        const ContextOptions& options) {
  const AttentionSizes sizes =
      attention_sizes(model, context.layout, work, exchanging(options, context.layout));
  return {context, options, sizes, work.attention(), Axis::cp, ""};
}

/// What ranks do with what they have exchanged: the same on another axis, with buffers of its own.
AttentionSetup within_exchange(AttentionSetup setup, Axis axis) {
  setup.axis = axis;
  setup.prefix = "own heads' ";
  return setup;
}

std::unique_ptr<ContextAttention> hierarchical_attention(AttentionSetup setup) {
  setup.axis = Axis::cp_a2a;
  const AttentionSetup inside = within_exchange(setup, Axis::cp_p2p);
  const bool alone = model::size_of(setup.context.layout, Axis::cp_p2p) == 1;
  return exchanged_attention(setup, alone ? local_attention(inside) : ring_attention(inside));
}

}  // namespace

bool depends_on_split(const ContextOptions& options) {
  return options.scheme != ContextParallel::all_to_all;
}

std::optional<Axis> context_class_axis(const ContextOptions& options, const model::Layout& layout) {
  if (layout.cp == 1) return std::nullopt;
  switch (options.scheme) {
    case ContextParallel::ring:
    case ContextParallel::ring_float_gradients:
      break;
    case ContextParallel::all_gather:
      if (options.split == ContextSplit::zigzag) return std::nullopt;
      break;
    case ContextParallel::all_to_all:
      return std::nullopt;
    case ContextParallel::hierarchical:
      return Axis::cp_p2p;
  }
  return Axis::cp;
}

void require_context_parallel(const model::Model& model, const model::Layout& layout,
                              const ContextOptions& options) {
  model::require_known_context_traffic(model, layout, options.scheme);
  const bool exchanges = options.scheme == ContextParallel::hierarchical;
  if (exchanges && layout.cp > 1 && layout.cp_a2a == 1) {
    throw UserError(
        "a2a+p2p: neighbours exchange heads, and there is no saying how many; give --cp-a2a, or "
        "choose p2p");
  }
  if (!exchanges && layout.cp_a2a > 1) {
    throw UserError(
        "--cp-a2a says how many ranks exchange heads within a ring; give --cp-comm-type a2a+p2p, "
        "or leave it out");
  }
}

AttentionSizes attention_sizes(const model::Model& model, const model::Layout& layout,
                               const Work& work, int least_kv_heads) {
  const auto on_rank = [&](int heads) {
    return static_cast<Count>(std::max(heads / layout.tp, 1));
  };
  const Count heads = on_rank(model.heads);
  const Count kv_heads = std::max(on_rank(model.latent_attention ? model.heads : model.kv_heads),
                                  static_cast<Count>(least_kv_heads));
  const Count key = model::query_head_dim(model), value = model::value_head_dim(model);
  const Count tokens = work.tokens();
  return {tokens * heads * key, tokens * kv_heads * key, tokens * kv_heads * value,
          tokens * heads * value};
}

std::unique_ptr<ContextAttention> context_attention(const TrafficContext& context,
                                                    const model::Model& model, const Work& work,
                                                    const ContextOptions& options) {
  if (context.layout.cp == 1) return nullptr;
  const AttentionSetup setup = setup_of(context, model, work, options);
  switch (options.scheme) {
    case ContextParallel::ring:
      break;
    case ContextParallel::ring_float_gradients:
      return float_ring_attention(setup);
    case ContextParallel::all_gather:
      return gathered_attention(setup);
    case ContextParallel::all_to_all:
      return exchanged_attention(setup, local_attention(within_exchange(setup, Axis::cp)));
    case ContextParallel::hierarchical:
      return hierarchical_attention(setup);
  }
  return ring_attention(setup);
}

// ---- what all kinds have in common

AttentionBase::AttentionBase(const AttentionSetup& setup)
    : setup_(setup),
      position_(model::position(setup.context.layout, setup.axis,
                                setup.context.builder.rank_class().first_rank)),
      queries_(slot("attention queries", sizes().queries)),
      keys_and_values_(slot("attention keys and values", sizes().keys_and_values())),
      output_(slot("attention output", sizes().outputs)),
      output_gradient_(slot("attention output gradients", sizes().outputs)) {}

/// Zigzag: of the own keys the triangle; of an earlier rank's keys the first half, for all queries;
/// of a later rank's all, for the second half of the queries.
Count AttentionBase::work_with(int owner) const {
  if (setup_.options.split == ContextSplit::zigzag || owner == position_) return 1;
  return owner < position_ ? 2 : 0;
}

Count AttentionBase::work_with_all() const {
  Count sum = 0;
  for (int owner = 0; owner < ranks(); ++owner) sum += work_with(owner);
  return sum;
}

void AttentionBase::attend(const std::string& label, Count work, std::vector<SlotIndex> reads,
                           std::vector<SlotIndex> writes) const {
  if (work == 0) return;
  b().compute(label, products(work, 1), std::move(reads), std::move(writes));
}

void AttentionBase::find_gradients(const std::string& label, Count work,
                                   std::vector<SlotIndex> reads,
                                   std::vector<SlotIndex> writes) const {
  if (work == 0) return;
  const int times = setup_.context.step.recompute == model::Recompute::selective ? 3 : 2;
  b().compute(label, products(work, times), std::move(reads), std::move(writes));
}

std::vector<Gemm> AttentionBase::products(Count work, int times) const {
  Gemm part = setup_.whole;
  part.n = part.n / static_cast<Count>(ranks()) * work;
  return std::vector<Gemm>(static_cast<std::size_t>(times), part);
}

std::optional<OpIndex> AttentionBase::communicate(const std::string& label,
                                                  std::vector<Message> messages) const {
  return b().communicate("cp", label, std::move(messages));
}

Message at(Message message, Count read_first, Count written_first) {
  message.read_first = read_first;
  message.written_first = written_first;
  return message;
}

}  // namespace collbench::plan
