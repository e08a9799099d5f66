// SPDX-License-Identifier: Apache-2.0
// The kernels as plain functions, for what the CUDA compiler does not compile.
//
// Each puts its work on the stream and returns what the launch says. Elements have 1, 2, 4 or 8
// bytes, and tensors are aligned to them.
#pragma once

#include <cuda_runtime_api.h>

#include "comm/nccl/kernels_log.h"

namespace collbench::gpu {

/// Loads the code of all of them to the current device. CUDA would do so when each is first used,
/// and might wait for the device to be idle, which it never is where another rank is waited for.
cudaError_t load();

/// Elements first .. first + count - 1 of a pattern's tensor, in memory of the device.
struct TensorPart {
  void* data;
  unsigned long long count;
  unsigned long long first;
  unsigned element_bytes;
};

/// Memory of the device that fill and check need for themselves, aligned to 16 bytes; work on
/// another stream must not use the same at the same time.
inline constexpr unsigned kScratchBytes = 4096 + 16;

/// Where checks write what they find, in memory of the device: a LogHead and so many LogEntries.
/// Zeros at first.
struct Log {
  void* start;
  unsigned long long room;
};

/// Writes the part. `values`: the 256 values of the pattern, in host memory, read before it
/// returns.
cudaError_t fill(const TensorPart& part, const void* values, void* scratch, cudaStream_t stream);

/// Compares the part with what fill would write, and logs what it finds as the check of this
/// number. Other streams may log at the same time.
cudaError_t check(const TensorPart& part, const void* values, void* scratch, const Log& log,
                  unsigned long long number, cudaStream_t stream);

/// Lasts about so long.
cudaError_t busy(unsigned long long duration_ns, cudaStream_t stream);

}  // namespace collbench::gpu
