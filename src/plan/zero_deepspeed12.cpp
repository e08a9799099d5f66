// SPDX-License-Identifier: Apache-2.0
#include "plan/bucketed.h"
#include "plan/zero.h"

namespace collbench::plan {
namespace {

class DeepSpeed12 : public Bucketed {
 public:
  using Bucketed::Bucketed;

  /// Each rank gives the shard that it updated.
  void after_optimizer() override {
    const Count all = context().held.elements({0, context().held.tensors.size()});
    const Count shard = shard_of(all, context().builder.ranks_on(context().holders.all));
    context().builder.communicate(
        context().named("dp"), "gather parameters",
        {collective(Collective::all_gather, context().holders.all, context().step.parameters, shard,
                    kNoSlot, all_weights())});
  }

 protected:
  /// Everybody gets all of it and keeps its own part.
  std::optional<OpIndex> launch(std::size_t i) override {
    return context().builder.communicate(
        context().named("dp"), label_of("reduce", i),
        {collective(Collective::all_reduce, context().holders.all, context().step.gradients,
                    bucket(i).elements, slot_of(i), slot_of(i))});
  }
};

}  // namespace

std::unique_ptr<ParameterTraffic> deepspeed12(const TrafficContext& context,
                                              const ZeroOptions& options) {
  const bool every_pass = options.scheme == Zero::deepspeed2;
  return std::make_unique<DeepSpeed12>(
      context, buckets_of_all(context.held, {.most = options.bucket_elements}), options.overlap,
      every_pass);
}

}  // namespace collbench::plan
