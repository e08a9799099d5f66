// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "plan/bucketed.h"
#include "plan/zero.h"

namespace collbench::plan {
namespace {

class DeepSpeed12 : public Bucketed {
 public:
  DeepSpeed12(const TrafficContext& context, const ZeroOptions& options)
      : Bucketed(context, buckets_of_all(context.held, {.most = options.bucket_elements}),
                 options.overlap, options.scheme == Zero::deepspeed2,
                 padded_to(elements_of_all(context.held),
                           context.builder.ranks_on(context.holders.all))),
        to_owners_(options.reduce_to_owners) {}

  /// Each rank gives the shard that it updated.
  void after_optimizer() override {
    context().builder.communicate(
        context().named("dp"), context().named("gather parameters"),
        {collective(Collective::all_gather, context().holders.all, context().step.parameters,
                    shard(), all_weights(), all_weights())});
  }

 protected:
  std::optional<OpIndex> launch(std::size_t i) override {
    return to_owners_ ? reduce_parts(i) : reduce_all(i);
  }

 private:
  /// The parameters one after the other, cut into as many equal pieces as there are ranks.
  Count shard() const {
    return shard_of(elements_of_all(context().held),
                    context().builder.ranks_on(context().holders.all));
  }

  /// Everybody gets all of it and keeps its own part.
  std::optional<OpIndex> reduce_all(std::size_t i) {
    return context().builder.communicate(
        context().named("dp"), label_of("reduce", i),
        {collective(Collective::all_reduce, context().holders.all, context().step.gradients,
                    bucket(i).elements, slot_of(i), slot_of(i))});
  }

  std::optional<OpIndex> reduce_parts(std::size_t i) {
    const Count first = context().held.elements({0, bucket(i).tensors.first});
    const Count last = first + bucket(i).elements;
    std::optional<OpIndex> reduced;
    for (Count owner = first / shard(); owner * shard() < last; ++owner) {
      const Count begin = std::max(first, owner * shard());
      const Count end = std::min(last, (owner + 1) * shard());
      Message part = collective(Collective::reduce, context().holders.all, context().step.gradients,
                                end - begin, slot_of(i), slot_of(i));
      part.peer = static_cast<int>(owner);
      part.read_first = part.written_first = begin - first;
      reduced = context().builder.communicate(
          context().named("dp"), fmt::format("{} to {}", label_of("reduce", i), owner), {part});
    }
    return reduced;
  }

  bool to_owners_;
};

}  // namespace

std::unique_ptr<ParameterTraffic> deepspeed12(const TrafficContext& context,
                                              const ZeroOptions& options) {
  return std::make_unique<DeepSpeed12>(context, options);
}

}  // namespace collbench::plan
