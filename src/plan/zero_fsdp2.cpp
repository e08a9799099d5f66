// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "plan/zero.h"

namespace collbench::plan {
namespace {

using Kind = model::Block::Kind;

enum class Direction : std::uint8_t { forward, backward };

const char* name_of(Direction direction) {
  return direction == Direction::forward ? "forward" : "backward";
}

/// What one call of fully_shard divides: a layer, or what is left for the root.
struct Group {
  std::string name;
  Count shard = 0;  // elements on each rank, each tensor's rows padded
  bool is_root = false;
  bool gathered = false;
  SlotIndex parameters = kNoSlot, gradients = kNoSlot, shards = kNoSlot;
  SlotIndex group_shard = kNoSlot;  // what is left of it after the forward pass
};

class Fsdp2 : public ParameterTraffic {
 public:
  Fsdp2(const TrafficContext& context, const ZeroOptions& options)
      : context_(context), options_(options) {
    for (std::size_t b = 0; b < context.held.blocks.size(); ++b) add_block(b);
    for (std::size_t g = 0; g < groups_.size(); ++g) make_slots(g);
  }

  std::vector<SlotIndex> weights(TensorRange range) override {
    return {group_with(range).parameters};
  }
  std::vector<SlotIndex> gradients(TensorRange range) override {
    return {group_with(range).gradients};
  }

  /// Nothing is prefetched by hand: the host is ahead, so this gather runs while the block before
  /// computes. The two buffers hold up the one after the next.
  void before_forward(std::size_t block, const Pass&) override {
    gather_root();
    gather(group_of_[block], Direction::forward);
  }

  void after_forward(std::size_t block, const Pass&) override {
    Group& group = groups_[group_of_[block]];
    if (!options_.reshard || group.is_root) return;
    group.gathered = false;
    if (!options_.reshard_in_groups) return;
    context_.builder.compute(
        fmt::format("keep shard of {}{} in the group", context_.holders.prefix, group.name), {},
        {group.parameters}, {group.group_shard});
  }

  void before_backward(std::size_t block, const Pass&) override {
    gather(group_of_[block], Direction::backward);
    if (!options_.prefetch || block == 0) return;
    const bool same_chunk =
        context_.held.blocks[block - 1].chunk == context_.held.blocks[block].chunk;
    if (same_chunk) gather(group_of_[block - 1], Direction::backward);
  }

  /// The root ends with the last block of the backward pass.
  void after_backward(std::size_t block, const Pass& pass) override {
    // PyTorch's pipeline schedules let gradients add up, and parameters stay, until the last pass.
    if (context_.layout.pp > 1 && !pass.last) return;
    const std::size_t g = group_of_[block];
    if (!groups_[g].is_root) reduce(g);
    const bool ends = context_.held.chunk_blocks(0).first == block;
    if (ends && root_) reduce(*root_);
  }

  std::vector<SlotIndex> reduced_gradients() override {
    std::vector<SlotIndex> slots;
    for (const Group& group : groups_) slots.push_back(group.shards);
    return slots;
  }
  std::vector<SlotIndex> updated_weights() override { return sharded_parameters_; }

 private:
  bool belongs_to_root(const HeldBlock& block) const {
    return block.kind == Kind::embedding || block.kind == Kind::head;
  }

  void add_block(std::size_t b) {
    const HeldBlock& block = context_.held.blocks[b];
    if (!belongs_to_root(block)) {
      group_of_.push_back(groups_.size());
      groups_.push_back({block.name});
    } else {
      if (!root_) {
        root_ = groups_.size();
        groups_.push_back({"root"});
        groups_.back().is_root = true;
      }
      group_of_.push_back(*root_);
    }
    Group& group = groups_[group_of_.back()];
    for (std::size_t t = block.tensors.first; t < block.tensors.last; ++t) {
      // Each tensor is cut into rows, and padded; experts are one tensor.
      const model::Tensor& tensor = context_.held.tensors[t];
      group.shard += (tensor.copies * tensor.rows + shards() - 1) / shards() * tensor.columns;
    }
  }

  Group& group_with(TensorRange range) {
    const auto& blocks = context_.held.blocks;
    std::size_t b = 0;
    while (blocks[b].tensors.last < range.last) ++b;
    return groups_[group_of_[b]];
  }

  /// Layers take turns in two buffers, of parameters and of gradients; the root has its own. What
  /// is not freed after the forward pass does not share.
  void make_slots(std::size_t g) {
    Group& group = groups_[g];
    Builder& b = context_.builder;
    const Count own = shards() * group.shard;
    const Count shared = group.is_root ? own : shards() * largest_layer();
    const std::string turn = group.is_root ? "root" : std::to_string(g % 2);
    const Bytes parameter = size_of(context_.step.parameters);
    const Bytes gradient = size_of(context_.step.gradients);
    group.parameters = options_.reshard
                           ? b.slot(context_.named("gathered ") + turn, shared * parameter)
                           : b.slot(context_.named("gathered ") + group.name, own * parameter);
    group.gradients = b.slot(context_.named("gradients ") + turn, shared * gradient);
    group.shards = b.slot(context_.named("gradient shards ") + group.name, group.shard * gradient);
    if (options_.reshard_in_groups && !group.is_root) {
      group.group_shard = b.slot(context_.named("parameters in the group ") + group.name,
                                 shard_in(context_.holders.shards, group) * parameter);
    }
    sharded_parameters_.push_back(
        b.slot(context_.named("parameter shards ") + group.name, group.shard * parameter));
  }

  model::Axis sharded_over() const {
    return options_.reshard_in_groups ? context_.holders.all : context_.holders.shards;
  }
  Count shards() const { return static_cast<Count>(context_.builder.ranks_on(sharded_over())); }

  /// Elements of each rank where all parameters of a group are divided among ranks of this axis.
  Count shard_in(model::Axis axis, const Group& group) const {
    return shards() * group.shard / static_cast<Count>(context_.builder.ranks_on(axis));
  }

  Count largest_layer() const {
    Count largest = 0;
    for (const Group& group : groups_) {
      if (!group.is_root) largest = std::max(largest, group.shard);
    }
    return largest;
  }

  void gather_root() {
    if (root_) gather(*root_, Direction::forward);
  }

  void gather(std::size_t g, Direction direction) {
    Group& group = groups_[g];
    if (group.gathered) return;
    group.gathered = true;
    const model::Axis axis =
        direction == Direction::backward ? context_.holders.shards : sharded_over();
    const bool from_group = axis != sharded_over();
    const auto op = context_.builder.communicate(
        "all-gather",
        fmt::format("gather {}{} {}", context_.holders.prefix, group.name, name_of(direction)),
        {collective(Collective::all_gather, axis, context_.step.parameters, shard_in(axis, group),
                    from_group ? group.group_shard : sharded_parameters_[g], group.parameters)});
    if (!options_.prefetch) context_.builder.hold_compute_until(op);
  }

  void reduce(std::size_t g) {
    Group& group = groups_[g];
    group.gathered = false;
    Builder& b = context_.builder;
    const auto scattered = b.communicate(
        "reduce-scatter", fmt::format("reduce-scatter {}{}", context_.holders.prefix, group.name),
        {collective(Collective::reduce_scatter, sharded_over(), context_.step.gradients,
                    group.shard, group.gradients, group.shards)});
    if (!options_.overlap) b.hold_compute_until(scattered);
    if (context_.layout.replicas == 1 || options_.reshard_in_groups) return;
    b.communicate("all-reduce",
                  fmt::format("reduce shard of {}{}", context_.holders.prefix, group.name),
                  {collective(Collective::all_reduce, context_.holders.replicas,
                              context_.step.gradients, group.shard, group.shards, group.shards)});
  }

  TrafficContext context_;
  ZeroOptions options_;
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_;  // by block
  std::optional<std::size_t> root_;
  std::vector<SlotIndex> sharded_parameters_;  // by group
};

}  // namespace

std::unique_ptr<ParameterTraffic> fsdp2(const TrafficContext& context, const ZeroOptions& options) {
  return std::make_unique<Fsdp2>(context, options);
}

}  // namespace collbench::plan
