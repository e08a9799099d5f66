// SPDX-License-Identifier: Apache-2.0
// Bucketed: schemes that keep all parameters on every rank and reduce gradients by buckets.
#pragma once

#include <deque>
#include <string>

#include "plan/buckets.h"
#include "plan/parameter_traffic.h"

namespace collbench::plan {

/// Buckets are launched strictly in their order, each when all its tensors are ready. A scheme says
/// what launching one is.
class Bucketed : public ParameterTraffic {
 public:
  /// `buckets` in launch order. With `every_pass` all micro-batches are reduced, else the last one.
  /// Without `overlap` computing goes on only after a reduction. `weights`: elements of all
  /// parameters, padding included.
  Bucketed(const TrafficContext& context, std::vector<Bucket> buckets, bool overlap,
           bool every_pass, Count weights);

  std::vector<SlotIndex> weights(TensorRange) override { return {weights_}; }
  std::vector<SlotIndex> gradients(TensorRange range) override;
  void gradients_ready(TensorRange range, const Pass& pass) override;
  std::vector<SlotIndex> reduced_gradients() override { return slots_; }
  std::vector<SlotIndex> updated_weights() override { return {weights_}; }

 protected:
  /// Issues the reduction of a bucket; returns its last operation.
  virtual std::optional<OpIndex> launch(std::size_t bucket) = 0;

  const Bucket& bucket(std::size_t i) const { return buckets_[i]; }
  std::size_t buckets() const { return buckets_.size(); }
  SlotIndex slot_of(std::size_t bucket) const { return slots_[bucket]; }
  SlotIndex all_weights() const { return weights_; }
  bool overlaps(std::size_t bucket, TensorRange range) const;
  std::string label_of(const char* what, std::size_t bucket) const;
  const TrafficContext& context() const { return context_; }

 private:
  void launch_ready();

  TrafficContext context_;
  std::vector<Bucket> buckets_;
  bool overlap_, every_pass_;
  std::vector<SlotIndex> slots_;
  std::vector<std::size_t> missing_;  // tensors of each bucket that are not ready
  std::size_t next_ = 0;              // the next bucket to launch
  SlotIndex weights_;
};

/// All tensors of a rank by one rule, the last chunk first: that is how gradients become ready.
std::vector<Bucket> buckets_of_all(const Held& held, const BucketRule& rule);

/// All tensors of a rank.
Count elements_of_all(const Held& held);

/// Elements that all ranks of a group hold divided evenly, rounded up: of one shard, and of all of
/// them.
Count shard_of(Count elements, int ranks);
Count padded_to(Count elements, int ranks);

}  // namespace collbench::plan
