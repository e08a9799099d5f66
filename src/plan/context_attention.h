// SPDX-License-Identifier: Apache-2.0
// What all kinds of context parallelism have in common.
#pragma once

#include "plan/context_parallel.h"

namespace collbench::plan {

/// Elements of a micro-batch and layer on a rank.
struct AttentionSizes {
  Count queries = 0, keys = 0, values = 0, outputs = 0;
  Count keys_and_values() const { return keys + values; }
};

/// `least_kv_heads`: a rank has at least so many, repeated if need be.
AttentionSizes attention_sizes(const model::Model& model, const model::Layout& layout,
                               const Work& work, int least_kv_heads);

/// What all of it need to know; `context` and what it refers to must outlive them.
struct AttentionSetup {
  TrafficContext context;
  ContextOptions options;
  AttentionSizes sizes;
  Gemm whole;          // all products of a rank, on average
  model::Axis axis;    // of the ranks that share what a rank attends to
  std::string prefix;  // of names of slots
};

/// Makes operations of one rank.
class AttentionBase : public ContextAttention {
 public:
  explicit AttentionBase(const AttentionSetup& setup);

  std::vector<SlotIndex> inputs() const override { return {queries_, keys_and_values_}; }
  SlotIndex output() const override { return output_; }
  SlotIndex output_gradient() const override { return output_gradient_; }

 protected:
  Builder& b() const { return setup_.context.builder; }
  DataType type() const { return setup_.context.step.activations; }
  const AttentionSizes& sizes() const { return setup_.sizes; }
  model::Axis axis() const { return setup_.axis; }
  int ranks() const { return b().ranks_on(axis()); }
  /// The rank that is `steps` further on in the ring; steps may be negative.
  int neighbour(int steps) const { return (position_ + steps + ranks()) % ranks(); }

  SlotIndex slot(const char* name, Count elements) const { return slot(name, elements, type()); }
  SlotIndex slot(const char* name, Count elements, DataType type) const {
    return b().slot(setup_.prefix + name, elements * size_of(type));
  }
  SlotIndex queries() const { return queries_; }
  SlotIndex keys_and_values() const { return keys_and_values_; }
  /// A slot of this layer's, from the forward pass.
  SlotIndex saved_keys_and_values() const {
    return slot("saved keys and values", sizes().keys_and_values());
  }

  /// What a rank's tokens have to do with those of `owner`, in units of half the square of their
  /// number; and with those of all ranks.
  Count work_with(int owner) const;
  Count work_with_all() const;

  /// So much work; no operation where it is none.
  void attend(const std::string& label, Count work, std::vector<SlotIndex> reads,
              std::vector<SlotIndex> writes) const;
  void find_gradients(const std::string& label, Count work, std::vector<SlotIndex> reads,
                      std::vector<SlotIndex> writes) const;
  /// On the stream of context parallelism.
  std::optional<OpIndex> communicate(const std::string& label, std::vector<Message> messages) const;

 private:
  std::vector<Gemm> products(Count work, int times) const;

  AttentionSetup setup_;
  int position_;
  SlotIndex queries_, keys_and_values_, output_, output_gradient_;
};

std::unique_ptr<ContextAttention> ring_attention(const AttentionSetup& setup);
std::unique_ptr<ContextAttention> float_ring_attention(const AttentionSetup& setup);
std::unique_ptr<ContextAttention> gathered_attention(const AttentionSetup& setup);
/// To what a rank has: communicates nothing.
std::unique_ptr<ContextAttention> local_attention(const AttentionSetup& setup);
/// Tokens are exchanged for heads on the setup's axis, and `inside` attends to what comes.
std::unique_ptr<ContextAttention> exchanged_attention(const AttentionSetup& setup,
                                                      std::unique_ptr<ContextAttention> inside);

/// `message` of buffers that start so far into their slots.
Message at(Message message, Count read_first, Count written_first);

}  // namespace collbench::plan
