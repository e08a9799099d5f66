// SPDX-License-Identifier: Apache-2.0
// Context parallelism: ranks share each sequence, and attention needs keys and values of all of it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_rows.h"
#include "model/closed_forms.h"
#include "plan/held.h"
#include "plan/parameter_traffic.h"

namespace collbench::plan {

struct ContextParallelRow {
  model::ContextParallel scheme;
  std::string_view name;  // those of TransformerEngine, and a library's
};

inline constexpr std::array<ContextParallelRow, 5> kContextParallel = {{
    {model::ContextParallel::ring, "p2p"},
    {model::ContextParallel::ring_float_gradients, "ring-flash"},
    {model::ContextParallel::all_gather, "all_gather"},
    {model::ContextParallel::all_to_all, "a2a"},
    {model::ContextParallel::hierarchical, "a2a+p2p"},
}};
static_assert(in_enum_order(kContextParallel, &ContextParallelRow::scheme));

/// Which tokens a rank has. Attention is causal, so that early tokens have less work than late
/// ones.
enum class ContextSplit : std::uint8_t {
  zigzag,      // of 2c pieces one from the start and one from the end: all ranks have equal work
  contiguous,  // of c pieces one: the last rank has 2c - 1 times the work of the first
};

struct ContextSplitRow {
  ContextSplit split;
  std::string_view name;
};

inline constexpr std::array<ContextSplitRow, 2> kContextSplits = {{
    {ContextSplit::zigzag, "zigzag"},
    {ContextSplit::contiguous, "contiguous"},
}};
static_assert(in_enum_order(kContextSplits, &ContextSplitRow::split));

struct ContextOptions {
  model::ContextParallel scheme = model::ContextParallel::ring;
  ContextSplit split = ContextSplit::zigzag;
};

/// On which axis ranks of different positions have different operations: other peers, other work.
std::optional<model::Axis> context_class_axis(const ContextOptions& options,
                                              const model::Layout& layout);

/// Throws UserError where cp_a2a is given and nobody exchanges heads, or the other way round, and
/// as model::require_known_context_traffic does.
void require_context_parallel(const model::Model& model, const model::Layout& layout,
                              const ContextOptions& options);

/// Whether the split makes a difference: exchanged for heads, each rank has the whole sequence.
bool depends_on_split(const ContextOptions& options);

/// The attention between the two parts of a half, on a rank's tokens of a sequence.
class ContextAttention {
 public:
  virtual ~ContextAttention() = default;

  /// What the column-parallel part writes (queries, then keys and values), and the row-parallel
  /// part reads.
  virtual std::vector<SlotIndex> inputs() const = 0;
  virtual SlotIndex output() const = 0;
  virtual SlotIndex output_gradient() const = 0;

  /// From inputs() to output(). `where` starts the labels.
  virtual void forward(const std::string& where) = 0;
  /// From output_gradient() and what was saved to the gradients of the inputs in `to`.
  virtual void backward(const std::string& where, SlotIndex saved, SlotIndex to) = 0;
};

/// Nothing without context parallelism. `context`, and what it refers to, must outlive the result.
///
/// p2p: while a rank attends to the keys and values that it has, the next ones come from its
/// neighbour, into two buffers that take turns. Backward they go round again, the gradients one hop
/// behind them in the same messages.
///
/// ring-flash: the same with keys and values apart; backward the gradients, in float, are messages
/// of their own, one hop more.
///
/// all_gather: keys and values of all ranks before attention, and again before its gradients, which
/// are reduce-scattered.
///
/// a2a: each rank gets all tokens of some heads; where there are fewer key-value heads than ranks
/// they are repeated first.
///
/// a2a+p2p: that among the neighbours of cp_a2a, and between their groups p2p with what they have.
///
/// Sends and receives of a hop are one group, as TransformerEngine has it with
/// NVTE_BATCH_MHA_P2P_COMM=1 and ring-flash-attention always.
///
/// Sources: TransformerEngine, attention/dot_product_attention/context_parallel.py;
/// ring-flash-attention, ring_flash_attn.py and zigzag_ring_flash_attn.py; arXiv 2310.01889,
/// 2309.14509 and, of all_gather, 2407.21783.
std::unique_ptr<ContextAttention> context_attention(const TrafficContext& context,
                                                    const model::Model& model, const Work& work,
                                                    const ContextOptions& options);

}  // namespace collbench::plan
