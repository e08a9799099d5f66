// SPDX-License-Identifier: Apache-2.0
// ExpertRoutes: how many rows of tokens go from rank to rank in each layer of experts, and how many
// each rank's experts work on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/enum_rows.h"
#include "model/model.h"
#include "plan/plan.h"
#include "routing/routing.h"

namespace collbench::plan {

/// How tokens get to their experts.
enum class Dispatcher : std::uint8_t { alltoall, allgather, dedup, dedup_node };

struct DispatcherRow {
  Dispatcher dispatcher;
  std::string_view name;
};

inline constexpr std::array<DispatcherRow, 4> kDispatchers = {{
    {Dispatcher::alltoall, "alltoall"},      // Megatron: a row for each token and expert
    {Dispatcher::allgather, "allgather"},    // Megatron: all tokens to all ranks
    {Dispatcher::dedup, "dedup"},            // DeepEP in a node: a row for each token and rank
    {Dispatcher::dedup_node, "dedup-node"},  // DeepEP: one for each token and node, then as before
}};
static_assert(in_enum_order(kDispatchers, &DispatcherRow::dispatcher));

/// What tokens, and gradients of what experts made of them, are sent as on the way to experts. The
/// way back is in the type of activations.
enum class DispatchType : std::uint8_t { bf16, fp8 };

struct DispatchTypeRow {
  DispatchType type;
  std::string_view name;
};

inline constexpr std::array<DispatchTypeRow, 2> kDispatchTypes = {{
    {DispatchType::bf16, "bf16"},
    {DispatchType::fp8, "fp8"},  // DeepSeek-V3: with a float scale for each 128 elements
}};
static_assert(in_enum_order(kDispatchTypes, &DispatchTypeRow::type));

/// Levelling loads by a bias of each expert (routing/balance.h): over how many training steps, and
/// where that has come to.
struct BiasBalance {
  int steps = 50;
  double rate = 0.05;                      // what a step adds to a bias or takes from it
  int step = 0;                            // the one that a plan is of
  std::vector<routing::Bias> biases = {};  // in it, by layer as in ExpertRoutes; empty: all are 0
};

struct ExpertOptions {
  routing::Routing routing = {};
  Dispatcher dispatcher = Dispatcher::alltoall;
  DispatchType type = DispatchType::bf16;
  bool overlaps_shared = false;  // shared experts compute beside the way there and back
  int ranks_per_node = 8;        // of dedup_node: consecutive ranks that share one
  std::optional<BiasBalance> balance = {};
};

/// Whether tokens go once to a rank, or a node, however many of their experts it has.
constexpr bool deduplicates(Dispatcher dispatcher) {
  return dispatcher == Dispatcher::dedup || dispatcher == Dispatcher::dedup_node;
}

/// Of all ranks of a plan. All groups of the axis ep, and all micro-batches, have the same.
struct ExpertRoutes {
  /// Rows from rank to rank, by positions on ep: on the way to experts, and back.
  struct Ways {
    MatrixIndex out = kNoMatrix, back = kNoMatrix;
  };
  struct Layer {
    std::vector<Ways> hops = {};  // on ep; none without experts
    /// By position, then by expert that it holds; of tokens of one etp position.
    std::vector<std::vector<Count>> expert_rows = {};
    /// By position: how many of the rank's tokens chose each expert of the layer.
    std::vector<TableIndex> chosen = {};
  };

  Count tokens = 0;         // T, of a rank
  Count even_rows = 0;      // that every rank sends and receives, itself included, where even
  Count experts = 0;        // of a layer that a rank holds
  bool are_counted = true;  // so that ranks tell each other how many there are
  TableIndex even_chosen = kNoTable;  // of every rank, where all is even
  std::vector<Layer> layers;          // those without experts too, and last the prediction layers;
                                      // empty where all is even

  bool are_even() const { return layers.empty(); }
  /// How many tokens chose each expert in a layer, of the rank at a position on ep; where counted.
  TableIndex chosen(int layer, int position) const;
  /// By layer, of each expert of the rank at a position on ep; prediction layers last.
  std::vector<std::vector<Count>> expert_rows(const model::Model& model, int position) const;
};

/// Whether every rank sends as much to every other, in every layer; see expert_routes.
bool are_even(const model::Model& model, const model::Layout& layout, const model::Step& step,
              const ExpertOptions& options);

/// Throws UserError for routing that no bias can level: nothing else than weights has biases.
void require_balanceable(const ExpertOptions& options);

/// Draws them, and adds their matrices, counts and loads to those of the plan. Nothing for a model
/// without experts.
///
/// Balanced routing is even where ranks divide a rank's T*k copies of tokens, and so is all routing
/// with a capacity factor, whose messages are padded: E experts times the capacity. Which ranks and
/// nodes tokens share is drawn, and never even. Throws UserError for routing that is not even among
/// ranks that divide experts (etp), unless all gather all tokens, and for what is not known: tokens
/// without repetition of a trace of counts, or with a capacity. Where loads are levelled, also as
/// require_balanceable does, and where no tokens are sent.
ExpertRoutes expert_routes(const model::Model& model, const model::Layout& layout,
                           const model::Step& step, const ExpertOptions& options, Plan& plan);

}  // namespace collbench::plan
