// SPDX-License-Identifier: Apache-2.0
#include "plan/bucketed.h"

#include <fmt/format.h>

#include <algorithm>

namespace collbench::plan {

Bucketed::Bucketed(const TrafficContext& context, std::vector<Bucket> buckets, bool overlap,
                   bool every_pass, Count weights)
    : context_(context),
      buckets_(std::move(buckets)),
      overlap_(overlap),
      every_pass_(every_pass),
      weights_(context.builder.slot(context.named("weights"),
                                    weights * size_of(context.step.parameters))) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    slots_.push_back(context_.builder.slot(fmt::format("{}gradients {}", context.holders.prefix, i),
                                           buckets_[i].elements * size_of(context.step.gradients)));
    missing_.push_back(buckets_[i].tensors.last - buckets_[i].tensors.first);
  }
}

bool Bucketed::overlaps(std::size_t bucket, TensorRange range) const {
  const TensorRange& own = buckets_[bucket].tensors;
  return own.first < range.last && range.first < own.last;
}

std::vector<SlotIndex> Bucketed::gradients(TensorRange range) {
  std::vector<SlotIndex> slots;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (overlaps(i, range)) slots.push_back(slots_[i]);
  }
  return slots;
}

void Bucketed::gradients_ready(TensorRange range, const Pass& pass) {
  if (!every_pass_ && !pass.last) return;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (!overlaps(i, range)) continue;
    const TensorRange& own = buckets_[i].tensors;
    missing_[i] -= std::min(own.last, range.last) - std::max(own.first, range.first);
  }
  launch_ready();
}

void Bucketed::launch_ready() {
  while (next_ < buckets_.size() && missing_[next_] == 0) {
    const auto reduced = launch(next_);
    if (!overlap_) context_.builder.hold_compute_until(reduced);
    ++next_;
  }
  if (next_ < buckets_.size()) return;
  next_ = 0;  // of the next micro-batch
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    missing_[i] = buckets_[i].tensors.last - buckets_[i].tensors.first;
  }
}

std::string Bucketed::label_of(const char* what, std::size_t bucket) const {
  return fmt::format("{} {}bucket {}", what, context_.holders.prefix, bucket);
}

std::vector<Bucket> buckets_of_all(const Held& held, const BucketRule& rule) {
  return fill_buckets(held, {0, held.tensors.size()}, rule);
}

Count elements_of_all(const Held& held) { return held.elements({0, held.tensors.size()}); }

Count shard_of(Count elements, int ranks) {
  const auto n = static_cast<Count>(ranks);
  return (elements + n - 1) / n;
}

Count padded_to(Count elements, int ranks) {
  return shard_of(elements, ranks) * static_cast<Count>(ranks);
}

}  // namespace collbench::plan
