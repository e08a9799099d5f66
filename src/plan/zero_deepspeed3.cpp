// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "plan/bucketed.h"
#include "plan/zero.h"

namespace collbench::plan {
namespace {

class DeepSpeed3 : public Bucketed {
 public:
  DeepSpeed3(const TrafficContext& context, const ZeroOptions& options)
      : Bucketed(context, buckets_of_all(context.held, {.most = options.bucket_elements}),
                 options.overlap, true),
        options_(options),
        gathered_(context.held.tensors.size()) {
    for (std::size_t b = 0; b < context.held.blocks.size(); ++b) make_slots(b);
  }

  std::vector<SlotIndex> weights(TensorRange range) override {
    return {slots_.begin() + static_cast<std::ptrdiff_t>(range.first),
            slots_.begin() + static_cast<std::ptrdiff_t>(range.last)};
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

  /// Small tensors are whole on every rank; what a rank updated of them, it gives to all.
  void after_optimizer() override {
    Count shard = 0;
    for (std::size_t t = 0; t < slots_.size(); ++t) {
      if (is_persistent(t)) shard += shard_of_tensor(t);
    }
    if (shard == 0) return;
    context().builder.communicate(
        "all-gather", context().named("gather persistent parameters"),
        {collective(Collective::all_gather, context().holders.all, context().step.parameters, shard,
                    kNoSlot, all_weights())});
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

  /// Tensors at the same place of blocks take turns in two buffers, unless they are kept.
  void make_slots(std::size_t block) {
    const TensorRange range = held().blocks[block].tensors;
    for (std::size_t t = range.first; t < range.last; ++t) {
      const Count elements = model::elements(held().tensors[t]);
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
    context().builder.communicate(
        "all-gather", fmt::format("gather {} {}", block, held().tensors[tensor].name),
        {collective(Collective::all_gather, context().holders.all, context().step.parameters,
                    shard_of_tensor(tensor), kNoSlot, slots_[tensor])});
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
  std::vector<bool> gathered_;    // by tensor
  std::vector<SlotIndex> slots_;  // by tensor
};

}  // namespace

std::unique_ptr<ParameterTraffic> deepspeed3(const TrafficContext& context,
                                             const ZeroOptions& options) {
  return std::make_unique<DeepSpeed3>(context, options);
}

}  // namespace collbench::plan
