// SPDX-License-Identifier: Apache-2.0
#include "plan/data_parallel.h"

#include <algorithm>
#include <numeric>

#include "plan/bucketed.h"

namespace collbench::plan {
namespace {

/// One all-reduce per bucket.
class AllReduced : public Bucketed {
 public:
  using Bucketed::Bucketed;

 protected:
  std::optional<OpIndex> launch(std::size_t i) override {
    const Message message =
        collective(Collective::all_reduce, context().holders.all, context().step.gradients,
                   bucket(i).elements, slot_of(i), slot_of(i));
    return context().builder.communicate(context().named("dp"), label_of("reduce", i), {message});
  }
};

/// Who sets a size gets it for the first bucket, too.
BucketRule ddp_rule(std::optional<Bytes> bucket_bytes, Bytes element) {
  const auto elements = [&](Bytes bytes) { return (bytes + element - 1) / element; };
  return {.close_at = elements(bucket_bytes.value_or(kDdpBucket)),
          .first_close_at = elements(bucket_bytes.value_or(kFirstDdpBucket))};
}

std::vector<Bucket> buckets_of(const TrafficContext& context, const DataParallelOptions& options) {
  const Held& held = context.held;
  const Bytes element = size_of(context.step.gradients);
  switch (options.scheme) {
    case DataParallel::single:
      return buckets_of_all(held, {});
    case DataParallel::ddp:
      return buckets_of_all(held, ddp_rule(options.bucket_bytes, element));
    case DataParallel::megatron:
      break;
  }
  std::vector<Bucket> all;
  for (int chunk = held.chunks; chunk-- > 0;) {
    const auto buckets = megatron_buckets(context, chunk, options.overlap, false);
    all.insert(all.end(), buckets.begin(), buckets.end());
  }
  return all;
}

}  // namespace

std::vector<Bucket> megatron_buckets(const TrafficContext& context, int chunk, bool overlap,
                                     bool sharded) {
  const auto [first, last] = context.held.chunk_blocks(chunk);
  if (first == last) return {};
  const TensorRange range = {context.held.blocks[first].tensors.first,
                             context.held.blocks[last - 1].tensors.last};
  const auto ranks = static_cast<Count>(model::size_of(context.layout, context.holders.shards));
  BucketRule rule;
  if (overlap && context.pp == 0 && chunk == 0) {
    const auto all = static_cast<Count>(model::size_of(context.layout, model::Axis::dp_cp));
    rule.close_at = std::max<Count>(40000000, 1000000 * all);
  }
  if (sharded) {
    rule.align_tensor = 64;
    rule.align_bucket = std::lcm<Count>(ranks, 128);
  }
  return fill_buckets(context.held, range, rule);
}

std::unique_ptr<ParameterTraffic> data_parallel(const TrafficContext& context,
                                                const DataParallelOptions& options) {
  const bool overlap = options.overlap && options.scheme != DataParallel::single;
  return std::make_unique<AllReduced>(context, buckets_of(context, options), overlap, false,
                                      elements_of_all(context.held));
}

}  // namespace collbench::plan
