// SPDX-License-Identifier: Apache-2.0
// ParameterTraffic: what data parallelism sends around the passes of one rank. One kind per scheme.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plan/builder.h"
#include "plan/held.h"

namespace collbench::plan {

/// One micro-batch's way through the blocks of a chunk.
struct Pass {
  int micro_batch = 0;
  bool first = true;  // of the step, for this chunk
  bool last = true;
};

/// Called by whoever emits the passes, in issue order. Blocks are indices into Held::blocks.
class ParameterTraffic {
 public:
  virtual ~ParameterTraffic() = default;

  virtual void before_forward(std::size_t, const Pass&) {}
  virtual void after_forward(std::size_t, const Pass&) {}
  virtual void before_backward(std::size_t, const Pass&) {}
  virtual void after_backward(std::size_t, const Pass&) {}

  /// What computing with these tensors of a block reads, between before_ and after_.
  virtual std::vector<SlotIndex> weights(TensorRange) = 0;

  /// Where computing writes the gradients of these tensors.
  virtual std::vector<SlotIndex> gradients(TensorRange) = 0;
  /// They have been written. Called from the last tensors of a chunk to the first.
  virtual void gradients_ready(TensorRange, const Pass&) {}

  /// What the optimizer reads, and what it writes.
  virtual std::vector<SlotIndex> reduced_gradients() = 0;
  virtual std::vector<SlotIndex> updated_weights() = 0;
  virtual void after_optimizer() {}
};

/// Who holds the same parameters.
struct Holders {
  std::string_view prefix = "";  // of names of slots, streams and operations
  model::Axis all = model::Axis::dp_cp;
  model::Axis shards = model::Axis::dp_shard_cp;
  model::Axis replicas = model::Axis::dp_replicate;
};

/// What every scheme works with; all must outlive it.
struct TrafficContext {
  Builder& builder;
  const Held& held;
  const model::Layout& layout;
  const model::Step& step;
  int pp;
  Holders holders = {};

  std::string named(std::string_view name) const {
    return std::string(holders.prefix).append(name);
  }
};

using MakeTraffic = std::function<std::unique_ptr<ParameterTraffic>(const TrafficContext&)>;

/// What `make` makes for all parameters that a rank holds; where other ranks hold the same experts
/// than hold the same dense layers, once for either, each among its own holders and with buffers
/// and messages of its own. Sources: Megatron-LM, core/distributed/distributed_data_parallel.py,
/// and core/extensions/transformer_engine.py, where experts that are not divided (ep = 1) are
/// marked to be reduced like dense parameters.
std::unique_ptr<ParameterTraffic> by_holders(const TrafficContext& context,
                                             const MakeTraffic& make);

}  // namespace collbench::plan
