// SPDX-License-Identifier: Apache-2.0
// Data parallelism: every rank of a group holds all parameters and reduces all gradients.
#pragma once

#include <array>
#include <optional>

#include "plan/buckets.h"
#include "plan/parameter_traffic.h"

namespace collbench::plan {

enum class DataParallel : std::uint8_t {
  ddp,       // PyTorch's DistributedDataParallel: buckets by bytes
  megatron,  // Megatron's: buckets by elements, on the first stage only
  single,    // one message after the backward pass
};

struct DataParallelRow {
  DataParallel scheme;
  std::string_view name;
};

inline constexpr std::array<DataParallelRow, 3> kDataParallel = {{
    {DataParallel::ddp, "ddp"},
    {DataParallel::megatron, "megatron"},
    {DataParallel::single, "single"},
}};
static_assert(in_enum_order(kDataParallel, &DataParallelRow::scheme));

/// PyTorch's sizes: the first bucket is small, so that reducing starts early.
inline constexpr Bytes kFirstDdpBucket = 1 << 20, kDdpBucket = 25 << 20;

struct DataParallelOptions {
  DataParallel scheme = DataParallel::ddp;
  std::optional<Bytes> bucket_bytes = {};  // of ddp; absent: PyTorch's two
  bool overlap = true;                     // reduce while the backward pass goes on
};

/// One all-reduce per bucket over dp_cp, after the last micro-batch's gradients.
///
/// Sources: PyTorch, torch/csrc/distributed/c10d/reducer.cpp; Megatron-LM,
/// core/distributed/param_and_grad_buffer.py.
std::unique_ptr<ParameterTraffic> data_parallel(const TrafficContext& context,
                                                const DataParallelOptions& options);

/// Megatron's buckets of a chunk: by 40 million elements, or one million per data-parallel rank if
/// that is more; only of the first stage's first chunk, and only where reductions overlap: other
/// stages reduce during the pipeline's bubble. `sharded`: padded for the distributed optimizer.
std::vector<Bucket> megatron_buckets(const TrafficContext& context, int chunk, bool overlap,
                                     bool sharded);

}  // namespace collbench::plan
