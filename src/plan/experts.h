// SPDX-License-Identifier: Apache-2.0
// Experts: what ranks send so that every token comes to the experts that its router chose, and what
// these make of it comes back.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "plan/builder.h"
#include "plan/expert_routes.h"

namespace collbench::plan {

/// Of a rank whose model has experts: the slots of tokens on their way, and the exchanges of all
/// ranks that hold a layer's experts.
///
/// Megatron's all-to-all dispatcher: all ranks gather how many tokens each has for each expert, and
/// the host waits for that, since it gives the sizes of what follows. Each rank then sends its
/// tokens, once for each expert they go to, and their probabilities to the ranks of these experts
/// (ep); ranks that share experts (etp) gather what each of them received. What the experts make of
/// tokens goes the same way back, and so do gradients, in the other direction.
///
/// Its all-gather dispatcher: all ranks gather all tokens, and for each expert whether they go to
/// it and with what probability. Outputs are added up and scattered. The host waits before the
/// experts start.
///
/// DeepEP: as by all-to-all, but each rank sends a token once to a rank, or once to a node and from
/// there to its ranks, with the numbers and probabilities of all its experts.
///
/// Where routing is even, every rank has equally many rows for every other; elsewhere a matrix of
/// each layer says how many.
///
/// Sources: Megatron-LM, core/transformer/moe/token_dispatcher.py; DeepEP, deep_ep/buffer.py and
/// csrc/kernels.
class ExpertTraffic {
 public:
  /// Requires experts. `routes` must outlive this.
  ExpertTraffic(Builder& builder, const model::Model& model, const model::Step& step,
                const ExpertOptions& options, const ExpertRoutes& routes);

  /// What the router makes of a rank's own tokens: these, their probabilities, and how many there
  /// are for each expert.
  std::vector<SlotIndex> routed() const;
  /// Where all that comes to a rank's experts lies, with how many rows each has, and where they put
  /// what they make of it.
  std::vector<SlotIndex> arrived() const;
  SlotIndex made() const { return outputs_.slots.back(); }
  /// Where that lies when it has come back.
  SlotIndex returned() const { return outputs_.slots.front(); }

  /// `router` has written routed(): what it says of a layer's counts.
  void set_counts(OpIndex router, int layer);

  /// Of a layer, the prediction layers after the last. `where` starts the labels: "F2 layer 5".
  void dispatch(int layer, const std::string& where);
  void combine(int layer, const std::string& where);

  /// The gradients of each.
  std::vector<SlotIndex> routed_gradients() const;
  std::vector<SlotIndex> arrived_gradients() const;
  SlotIndex made_gradient() const { return output_gradients_.slots.back(); }
  SlotIndex returned_gradient() const { return output_gradients_.slots.front(); }

  void dispatch_gradients(int layer, const std::string& where);
  void combine_gradients(int layer, const std::string& where);

 private:
  /// One of the exchanges that lead from a rank's own tokens to its experts.
  struct Hop {
    model::Axis axis;
    Collective out, back;
    const char *out_name, *back_name;     // in labels
    const char* suffix;                   // of the slots behind it
    Count block_rows = 0;                 // where all blocks have as many
    std::optional<std::size_t> way = {};  // elsewhere: of ExpertRoutes::Layer::hops
  };

  /// Rows of one kind: where they lie before the first hop, and behind each.
  struct Carried {
    std::string what;
    DataType type = DataType::float32;
    Count width = 0;  // elements of a row
    std::vector<SlotIndex> slots = {};
  };
  using AllCarried = std::initializer_list<const Carried*>;

  void add_hops();
  void add_hops_to_ranks_of_experts();
  void make_room();
  void make_rows(const model::Model& model, const model::Step& step);
  void make_counts();
  Carried carry(std::string what, DataType type, Count width);
  void exchange_counts(const std::string& where);
  std::optional<OpIndex> out(int layer, const std::string& where, AllCarried all);
  void back(int layer, const std::string& where, AllCarried all);
  Message message(const Hop& hop, const Carried& carried) const;
  const ExpertRoutes::Ways& ways(const Hop& hop, int layer) const;

  Builder& b_;
  const ExpertOptions& options_;
  const ExpertRoutes& routes_;
  Count counts_;  // experts of a layer
  std::vector<Hop> hops_;
  std::vector<Count> rows_;  // of a rank at most: before the first hop, and behind each
  Carried choices_;          // which experts a token goes to, where its rows do not say that
  Carried tokens_, probabilities_, outputs_;
  Carried token_gradients_, probability_gradients_, output_gradients_;
  SlotIndex token_counts_ = kNoSlot, all_token_counts_ = kNoSlot;  // where several ranks need them
};

}  // namespace collbench::plan
