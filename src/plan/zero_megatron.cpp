// SPDX-License-Identifier: Apache-2.0
#include "plan/bucketed.h"
#include "plan/data_parallel.h"
#include "plan/zero.h"

namespace collbench::plan {
namespace {

class MegatronOptimizer : public Bucketed {
 public:
  MegatronOptimizer(const TrafficContext& context, std::vector<Bucket> buckets,
                    const ZeroOptions& options)
      : Bucketed(context, buckets, options.overlap, false, elements_of_all(context.held)),
        gathers_with_forward_(options.gather_with_forward) {
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      parameters_.push_back(
          context.builder.slot(context.named("parameters ") + std::to_string(i),
                               buckets[i].elements * size_of(context.step.parameters)));
    }
    gathered_.resize(buckets.size());
  }

  /// With the forward pass: what the step before has updated, the bucket of this block and the next
  /// one, which the forward pass reaches later, while this one is used.
  void before_forward(std::size_t block, const Pass& pass) override {
    if (!gathers_with_forward_ || !pass.first) return;
    const TensorRange own = context().held.blocks[block].tensors;
    for (std::size_t i = buckets(); i-- > 0;) {
      if (!overlaps(i, own)) continue;
      gather(i);
      ahead_ = i;
    }
    if (ahead_ > 0) gather(ahead_ - 1);
  }

  std::vector<SlotIndex> weights(TensorRange range) override {
    std::vector<SlotIndex> slots;
    for (std::size_t i = 0; i < buckets(); ++i) {
      if (overlaps(i, range)) slots.push_back(parameters_[i]);
    }
    return slots;
  }

  std::vector<SlotIndex> updated_weights() override { return parameters_; }

  void after_optimizer() override {
    if (gathers_with_forward_) return;
    for (std::size_t i = buckets(); i-- > 0;) gather(i);
  }

 protected:
  std::optional<OpIndex> launch(std::size_t i) override {
    const model::Step& step = context().step;
    const Count shard = shard_of(bucket(i).elements, shards());
    const auto scattered = context().builder.communicate(
        context().named("dp"), label_of("reduce-scatter", i),
        {collective(Collective::reduce_scatter, context().holders.shards, step.gradients, shard,
                    slot_of(i), slot_of(i))});
    if (context().layout.replicas == 1) return scattered;
    Message own_shard = collective(Collective::all_reduce, context().holders.replicas,
                                   step.gradients, shard, slot_of(i), slot_of(i));
    own_shard.own_part_on = context().holders.shards;
    return context().builder.communicate(context().named("dp replicas"),
                                         label_of("reduce shard of", i), {own_shard});
  }

 private:
  int shards() const { return context().builder.ranks_on(context().holders.shards); }

  void gather(std::size_t i) {
    if (gathered_[i]) return;
    gathered_[i] = true;
    context().builder.communicate(
        context().named("dp"), label_of("gather", i),
        {collective(Collective::all_gather, context().holders.shards, context().step.parameters,
                    shard_of(bucket(i).elements, shards()), parameters_[i], parameters_[i])});
  }

  bool gathers_with_forward_;
  std::vector<SlotIndex> parameters_;
  std::vector<bool> gathered_;
  std::size_t ahead_ = 0;
};

}  // namespace

std::unique_ptr<ParameterTraffic> megatron_optimizer(const TrafficContext& context,
                                                     const ZeroOptions& options) {
  std::vector<Bucket> all;
  for (int chunk = context.held.chunks; chunk-- > 0;) {
    const auto buckets = megatron_buckets(context, chunk, options.overlap, true);
    all.insert(all.end(), buckets.begin(), buckets.end());
  }
  return std::make_unique<MegatronOptimizer>(context, std::move(all), options);
}

}  // namespace collbench::plan
