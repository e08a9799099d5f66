// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "plan/bucketed.h"
#include "plan/zero.h"

namespace collbench::plan {
namespace {

/// Messages of 4- and 8-bit numbers are bytes; scales of the quantised blocks are left out.
class ZeroPlusPlus : public ParameterTraffic {
 public:
  ZeroPlusPlus(const TrafficContext& context, const ZeroOptions& options)
      : context_(context), options_(options) {
    Count largest = 0;
    for (const HeldBlock& block : context.held.blocks) {
      largest = std::max(largest, context.held.elements(block.tensors));
    }
    Builder& b = context.builder;
    const int in_node = b.ranks_on(context.holders.shards), all = b.ranks_on(context.holders.all);
    const Bytes parameter = size_of(context.step.parameters);
    const Bytes gathered =
        std::max(padded_to(largest, in_node) * parameter, padded_to(largest, all));
    const Bytes packed = largest / 2, of_node = shard_of(packed, in_node);  // 4-bit gradients
    const Bytes of_replica = padded_to(of_node, context.layout.replicas);
    const std::string_view prefix = context.holders.prefix;
    for (int turn = 0; turn < 2; ++turn) {
      gathered_.push_back(b.slot(fmt::format("{}gathered {}", prefix, turn), gathered));
      gradients_.push_back(
          b.slot(fmt::format("{}gradients {}", prefix, turn),
                 std::max(largest * size_of(context.step.gradients), padded_to(packed, in_node))));
    }
    node_sums_ = b.slot(context.named("gradients of the node"),
                        std::max(padded_to(packed, in_node), of_replica));
    shards_ = b.slot(context.named("gradient shards"), of_replica);
    weights_ = b.slot(context.named("parameter shards"),
                      std::max(shard_of(largest, in_node) * parameter, shard_of(largest, all)));
  }

  std::vector<SlotIndex> weights(TensorRange range) override {
    return {gathered_[block_with(range) % 2]};
  }
  std::vector<SlotIndex> gradients(TensorRange range) override {
    return {gradients_[block_with(range) % 2]};
  }

  void before_forward(std::size_t block, const Pass&) override {
    gather(block, "forward", context_.holders.all, DataType::int8);
  }
  void before_backward(std::size_t block, const Pass&) override {
    gather(block, "backward", context_.holders.shards, context_.step.parameters);
  }

  void after_backward(std::size_t block, const Pass&) override {
    const Count packed = elements(block) / 2;  // bytes of 4-bit gradients
    const int in_node = context_.builder.ranks_on(context_.holders.shards);
    const Count of_node = shard_of(packed, in_node);
    exchange(block, "in the node", context_.holders.shards, of_node, gradients_[block % 2],
             node_sums_);
    exchange(block, "between nodes", context_.holders.replicas,
             shard_of(of_node, context_.layout.replicas), node_sums_, shards_);
  }

  std::vector<SlotIndex> reduced_gradients() override { return {shards_}; }
  std::vector<SlotIndex> updated_weights() override { return {weights_}; }

 private:
  Count elements(std::size_t block) const {
    return context_.held.elements(context_.held.blocks[block].tensors);
  }

  std::size_t block_with(TensorRange range) const {
    std::size_t b = 0;
    while (context_.held.blocks[b].tensors.last < range.last) ++b;
    return b;
  }

  void gather(std::size_t block, const char* pass, model::Axis axis, DataType type) {
    const Count shard = shard_of(elements(block), context_.builder.ranks_on(axis));
    context_.builder.communicate(
        "all-gather",
        fmt::format("gather {}{} {}", context_.holders.prefix, context_.held.blocks[block].name,
                    pass),
        {collective(Collective::all_gather, axis, type, shard, weights_, gathered_[block % 2])});
  }

  void exchange(std::size_t block, const char* where, model::Axis axis, Count count, SlotIndex read,
                SlotIndex written) {
    const auto op = context_.builder.communicate(
        "gradients",
        fmt::format("gradients {}{} {}", context_.holders.prefix, context_.held.blocks[block].name,
                    where),
        {collective(Collective::alltoall, axis, DataType::uint8, count, read, written)});
    if (!options_.overlap) context_.builder.hold_compute_until(op);
  }

  TrafficContext context_;
  ZeroOptions options_;
  std::vector<SlotIndex> gathered_, gradients_;
  SlotIndex node_sums_ = kNoSlot, shards_ = kNoSlot, weights_ = kNoSlot;
};

}  // namespace

std::unique_ptr<ParameterTraffic> zeropp(const TrafficContext& context,
                                         const ZeroOptions& options) {
  return std::make_unique<ZeroPlusPlus>(context, options);
}

}  // namespace collbench::plan
