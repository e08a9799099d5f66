// SPDX-License-Identifier: Apache-2.0
// ZeRO: data parallelism that divides optimizer state, gradients and parameters among ranks.
#pragma once

#include <array>
#include <string_view>

#include "plan/parameter_traffic.h"

namespace collbench::plan {

enum class Zero : std::uint8_t {
  deepspeed1,
  deepspeed2,
  deepspeed3,
  megatron,  // the distributed optimizer: stage 1 with a real reduce-scatter
  fsdp2,     // PyTorch's fully_shard; with replicas HSDP
  zeropp,    // ZeRO++: quantised weights and gradients, a second copy of shards in the node
};

struct ZeroRow {
  Zero scheme;
  std::string_view name;
  bool pipelines;      // can be combined with pipeline parallelism
  DataType gradients;  // as it reduces them, unless told otherwise
};

inline constexpr std::array<ZeroRow, 6> kZero = {{
    {Zero::deepspeed1, "deepspeed1", true, DataType::bfloat16},
    {Zero::deepspeed2, "deepspeed2", false, DataType::bfloat16},
    {Zero::deepspeed3, "deepspeed3", false, DataType::bfloat16},
    {Zero::megatron, "megatron", true, DataType::float32},
    {Zero::fsdp2, "fsdp2", true, DataType::float32},
    {Zero::zeropp, "zeropp", false, DataType::bfloat16},
}};
static_assert(in_enum_order(kZero, &ZeroRow::scheme));

struct ZeroOptions {
  Zero scheme = Zero::fsdp2;
  bool overlap = true;                 // reduce while the backward pass goes on
  bool reshard = true;                 // fsdp2: free a block's parameters after its forward pass
  bool reshard_in_groups = false;      // fsdp2: to the ranks of a replica, not to all
  bool prefetch = true;                // fsdp2, deepspeed3: gather ahead of use
  bool gather_with_forward = true;     // megatron: gather in the next step's forward pass
  bool reduce_to_owners = false;       // deepspeed1 and 2: no all-reduce; each part to one rank
  Count bucket_elements = 500000000;   // deepspeed: of a reduction
  Count prefetch_elements = 50000000;  // deepspeed3: gathered ahead, at most
  Count reuse_elements = 1000000000;   // deepspeed3: kept if used again within so many
  Count persistent_elements = 100000;  // deepspeed3: smaller tensors are not divided
};

/// The traffic of the scheme that `options` names. Throws UserError for a scheme that the layout
/// excludes.
std::unique_ptr<ParameterTraffic> zero(const TrafficContext& context, const ZeroOptions& options);

// ---- one file each

/// Reduces by buckets and gathers all parameters after the optimizer. Stage 1 reduces after the
/// last micro-batch, stage 2 after each. Everybody gets the sum of a bucket, or, with
/// `reduce_to_owners` (DeepSpeed's use_multi_rank_bucket_allreduce: false), of each part of it the
/// rank that owns that part. Source: DeepSpeed, runtime/zero/stage_1_and_2.py.
std::unique_ptr<ParameterTraffic> deepspeed12(const TrafficContext& context,
                                              const ZeroOptions& options);

/// Gathers tensor by tensor, ahead of use; keeps what it soon uses again. Source: DeepSpeed,
/// runtime/zero/stage3.py and partitioned_param_coordinator.py.
std::unique_ptr<ParameterTraffic> deepspeed3(const TrafficContext& context,
                                             const ZeroOptions& options);

/// Reduce-scatters buckets, all-gathers them after the optimizer. With replicas (several instances)
/// shards are reduced among them. Source: Megatron-LM, core/optimizer/distrib_optimizer.py.
std::unique_ptr<ParameterTraffic> megatron_optimizer(const TrafficContext& context,
                                                     const ZeroOptions& options);

/// Gathers block by block, with the rest of the model as the root. With replicas it is HSDP; or,
/// with `reshard_in_groups` (reshard_after_forward: a number), all ranks have one copy in shards,
/// and the ranks of a replica have another one between forward and backward. Source: PyTorch,
/// distributed/fsdp/_fully_shard.
std::unique_ptr<ParameterTraffic> fsdp2(const TrafficContext& context, const ZeroOptions& options);

/// Block by block: weights of 8 bits over all ranks forward, of 16 bits within the node backward,
/// gradients of 4 bits by two all-to-alls. Source: arXiv 2306.10209.
std::unique_ptr<ParameterTraffic> zeropp(const TrafficContext& context, const ZeroOptions& options);

}  // namespace collbench::plan
