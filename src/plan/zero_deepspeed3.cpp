// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "plan/bucketed.h"
#include "plan/zero.h"

namespace collbench::plan {
namespace {

/// One tensor of all ranks' shards: its last one is padded.
Count padded_tensor(const TrafficContext& context, std::size_t tensor) {
  return padded_to(model::elements(context.held.tensors[tensor]),
                   context.builder.ranks_on(context.holders.all));
}

/// Each tensor of a bucket is padded by itself.
std::vector<Bucket> padded_buckets(const TrafficContext& context, const ZeroOptions& options) {
  std::vector<Bucket> buckets = buckets_of_all(context.held, {.most = options.bucket_elements});
  for (Bucket& bucket : buckets) {
    bucket.elements = 0;
    for (std::size_t t = bucket.tensors.first; t < bucket.tensors.last; ++t) {
      bucket.elements += padded_tensor(context, t);
    }
  }
  return buckets;
}

/// What a rank keeps of all parameters.
Count shards_of_all(const TrafficContext& context) {
  Count sum = 0;
  for (std::size_t t = 0; t < context.held.tensors.size(); ++t) sum += padded_tensor(context, t);
  return sum / static_cast<Count>(context.builder.ranks_on(context.holders.all));
}

/// The weights of Bucketed are the rank's shards, one after the other. Small tensors are
/// persistent: whole on every rank, in a slot of their own.
class DeepSpeed3 : public Bucketed {
 public:
  DeepSpeed3(const TrafficContext& context, const ZeroOptions& options)
      : Bucketed(context, padded_buckets(context, options), options.overlap, true,
                 shards_of_all(context)),
        options_(options),
        gathered_(context.held.tensors.size()) {
    Count first = 0, persistent = 0;
    for (std::size_t t = 0; t < gathered_.size(); ++t) {
      shard_first_.push_back(first);
      first += shard_of_tensor(t);
      if (is_persistent(t)) persistent += shard_of_tensor(t);
    }
    make_persistent(persistent);
    for (std::size_t b = 0; b < context.held.blocks.size(); ++b) make_slots(b);
  }

  std::vector<SlotIndex> weights(TensorRange range) override {
    return {slots_.begin() + static_cast<std::ptrdiff_t>(range.first),
            slots_.begin() + static_cast<std::ptrdiff_t>(range.last)};
  }

  std::vector<SlotIndex> updated_weights() override {
    std::vector<SlotIndex> slots = Bucketed::updated_weights();
    if (persistent_shard_ > 0) slots.push_back(persistent_);
    return slots;
  }

  void before_forward(std::size_t block, const Pass&) override {
    gather_block(block);
    prefetch(block + 1);
  }
  void before_backward(std::size_t block, const Pass&) override {
    gather_block(block);
    if (block > 0) prefetch(block - 1);
  }
  void after_forward(std::size_t block, const Pass&) override {
    if (!is_kept(block)) free_block(block);
  }
  void after_backward(std::size_t block, const Pass&) override { free_block(block); }

  /// What a rank updated of small tensors, it gives to all.
  void after_optimizer() override {
    if (persistent_shard_ == 0) return;
    context().builder.communicate(
        "all-gather", context().named("gather persistent parameters"),
        {collective(Collective::all_gather, context().holders.all, context().step.parameters,
                    persistent_shard_, persistent_, persistent_)});
  }

 protected:
  std::optional<OpIndex> launch(std::size_t i) override {
    Count shard = 0;
    for (std::size_t t = bucket(i).tensors.first; t < bucket(i).tensors.last; ++t) {
      shard += shard_of_tensor(t);
    }
    return context().builder.communicate(
        "reduce-scatter", label_of("reduce-scatter", i),
        {collective(Collective::reduce_scatter, context().holders.all, context().step.gradients,
                    shard, slot_of(i), slot_of(i))});
  }

 private:
  const Held& held() const { return context().held; }

  bool is_persistent(std::size_t tensor) const {
    return model::elements(held().tensors[tensor]) < options_.persistent_elements;
  }
  Count shard_of_tensor(std::size_t tensor) const {
    return shard_of(model::elements(held().tensors[tensor]),
                    context().builder.ranks_on(context().holders.all));
  }

  /// Whether the backward pass comes back to a block within so many elements.
  bool is_kept(std::size_t block) const {
    const Count between =
        2 * held().elements({held().blocks[block].tensors.last, held().tensors.size()});
    return between < options_.reuse_elements;
  }

  void make_persistent(Count shard) {
    persistent_shard_ = shard;
    if (shard == 0) return;
    const auto ranks = static_cast<Count>(context().builder.ranks_on(context().holders.all));
    persistent_ = context().builder.slot(context().named("persistent parameters"),
                                         shard * ranks * size_of(context().step.parameters));
  }

  /// Tensors at the same place of blocks take turns in two buffers, unless they are kept.
  void make_slots(std::size_t block) {
    const TensorRange range = held().blocks[block].tensors;
    for (std::size_t t = range.first; t < range.last; ++t) {
      if (is_persistent(t)) {
        slots_.push_back(persistent_);
        continue;
      }
      const Count elements = padded_tensor(context(), t);
      const std::string owner =
          is_kept(block) ? held().blocks[block].name : fmt::format("of {} {}", elements, block % 2);
      slots_.push_back(context().builder.slot(fmt::format("{} {}", held().tensors[t].name, owner),
                                              elements * size_of(context().step.parameters)));
    }
  }

  void gather_block(std::size_t block) {
    const TensorRange range = held().blocks[block].tensors;
    for (std::size_t t = range.first; t < range.last; ++t) gather(t, held().blocks[block].name);
  }

  void gather(std::size_t tensor, const std::string& block) {
    if (gathered_[tensor] || is_persistent(tensor)) return;
    gathered_[tensor] = true;
    Message message =
        collective(Collective::all_gather, context().holders.all, context().step.parameters,
                   shard_of_tensor(tensor), all_weights(), slots_[tensor]);
    message.read_first = shard_first_[tensor];
    context().builder.communicate(
        "all-gather", fmt::format("gather {} {}", block, held().tensors[tensor].name), {message});
  }

  void free_block(std::size_t block) {
    const TensorRange range = held().blocks[block].tensors;
    for (std::size_t t = range.first; t < range.last; ++t) gathered_[t] = false;
  }

  /// As many tensors of a block as fit into the limit, in order of use.
  void prefetch(std::size_t block) {
    if (!options_.prefetch || block >= held().blocks.size()) return;
    Count left = options_.prefetch_elements;
    const TensorRange range = held().blocks[block].tensors;
    for (std::size_t t = range.first; t < range.last; ++t) {
      const Count elements = model::elements(held().tensors[t]);
      if (elements > left) return;
      left -= elements;
      gather(t, held().blocks[block].name);
    }
  }

  ZeroOptions options_;
  std::vector<bool> gathered_;      // by tensor
  std::vector<SlotIndex> slots_;    // by tensor: where it is whole
  std::vector<Count> shard_first_;  // by tensor: where its shard starts in all_weights()
  Count persistent_shard_ = 0;      // elements on each rank
  SlotIndex persistent_ = kNoSlot;
};

}  // namespace

std::unique_ptr<ParameterTraffic> deepspeed3(const TrafficContext& context,
                                             const ZeroOptions& options) {
  return std::make_unique<DeepSpeed3>(context, options);
}

}  // namespace collbench::plan
