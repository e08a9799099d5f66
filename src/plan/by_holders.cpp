// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "plan/parameter_traffic.h"

namespace collbench::plan {
namespace {

constexpr Holders kExpertHolders = {"expert ", model::Axis::edp, model::Axis::edp_shard,
                                    model::Axis::edp_replicate};

/// The dense parameters of a rank, or its experts, as if it held nothing else.
struct Part {
  Held held;
  std::vector<std::size_t> tensors_before;           // of the part, by tensor of the rank
  std::vector<std::optional<std::size_t>> block_of;  // by block of the rank: none without tensors
  std::unique_ptr<ParameterTraffic> traffic;

  TensorRange own(TensorRange range) const {
    return {tensors_before[range.first], tensors_before[range.last]};
  }
};

std::unique_ptr<Part> part_of(const Held& all, bool experts) {
  auto part = std::make_unique<Part>();
  part->held.chunks = all.chunks;
  for (const model::Tensor& tensor : all.tensors) {
    part->tensors_before.push_back(part->held.tensors.size());
    if (tensor.expert == experts) part->held.tensors.push_back(tensor);
  }
  part->tensors_before.push_back(part->held.tensors.size());
  for (const HeldBlock& block : all.blocks) {
    const TensorRange own = part->own(block.tensors);
    if (own.first == own.last) {
      part->block_of.push_back(std::nullopt);
      continue;
    }
    part->block_of.push_back(part->held.blocks.size());
    part->held.blocks.push_back({block.kind, block.chunk, block.layer, block.name, own});
  }
  return part;
}

class ByHolders : public ParameterTraffic {
 public:
  ByHolders(const TrafficContext& context, const MakeTraffic& make) {
    for (const bool experts : {false, true}) {
      std::unique_ptr<Part> part = part_of(context.held, experts);
      if (part->held.tensors.empty()) continue;
      part->traffic = make({context.builder, part->held, context.layout, context.step, context.pp,
                            experts ? kExpertHolders : context.holders});
      parts_.push_back(std::move(part));
    }
  }

  void before_forward(std::size_t block, const Pass& pass) override {
    of_block(block, [&](Part& p, std::size_t own) { p.traffic->before_forward(own, pass); });
  }
  void after_forward(std::size_t block, const Pass& pass) override {
    of_block(block, [&](Part& p, std::size_t own) { p.traffic->after_forward(own, pass); });
  }
  void before_backward(std::size_t block, const Pass& pass) override {
    of_block(block, [&](Part& p, std::size_t own) { p.traffic->before_backward(own, pass); });
  }
  void after_backward(std::size_t block, const Pass& pass) override {
    of_block(block, [&](Part& p, std::size_t own) { p.traffic->after_backward(own, pass); });
  }

  std::vector<SlotIndex> weights(TensorRange range) override {
    return slots([&](Part& p) { return p.traffic->weights(p.own(range)); }, range);
  }
  std::vector<SlotIndex> gradients(TensorRange range) override {
    return slots([&](Part& p) { return p.traffic->gradients(p.own(range)); }, range);
  }
  void gradients_ready(TensorRange range, const Pass& pass) override {
    for (const auto& part : parts_) {
      const TensorRange own = part->own(range);
      if (own.first < own.last) part->traffic->gradients_ready(own, pass);
    }
  }

  std::vector<SlotIndex> reduced_gradients() override {
    return slots([](Part& p) { return p.traffic->reduced_gradients(); });
  }
  std::vector<SlotIndex> updated_weights() override {
    return slots([](Part& p) { return p.traffic->updated_weights(); });
  }
  void after_optimizer() override {
    for (const auto& part : parts_) part->traffic->after_optimizer();
  }

 private:
  template <class Act>
  void of_block(std::size_t block, const Act& act) {
    for (const auto& part : parts_) {
      if (const auto own = part->block_of[block]) act(*part, *own);
    }
  }

  /// Of the parts that have tensors of a range; without one, of all.
  template <class Get>
  std::vector<SlotIndex> slots(const Get& get, std::optional<TensorRange> range = std::nullopt) {
    std::vector<SlotIndex> all;
    for (const auto& part : parts_) {
      if (range && part->own(*range).first == part->own(*range).last) continue;
      const std::vector<SlotIndex> own = get(*part);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace

std::unique_ptr<ParameterTraffic> by_holders(const TrafficContext& context,
                                             const MakeTraffic& make) {
  if (!model::experts_apart(context.layout)) return make(context);
  return std::make_unique<ByHolders>(context, make);
}

}  // namespace collbench::plan
