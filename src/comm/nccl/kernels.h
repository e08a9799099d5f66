// SPDX-License-Identifier: Apache-2.0
// The kernels as plain functions, for what the CUDA compiler does not compile.
//
// Each puts its work on the stream and returns what the launch says. Elements have 1, 2, 4 or 8
// bytes, and tensors are aligned to them.
#pragma once

#include <cuda_runtime_api.h>

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
struct Scratch {
  void* rotations;   // kRotationsBytes
  void* mismatches;  // kMismatchesBytes; of check only
};
inline constexpr unsigned kRotationsBytes = 4096;
inline constexpr unsigned kMismatchesBytes = 16;

/// Writes the part. `values`: the 256 values of the pattern, in host memory.
cudaError_t fill(const TensorPart& part, const void* values, const Scratch& scratch,
                 cudaStream_t stream);

/// Adds the number of wrong elements to the first word of mismatches, and lowers the second one to
/// the least index of a wrong element; both are unsigned, and of 64 bits.
cudaError_t check(const TensorPart& part, const void* values, const Scratch& scratch,
                  cudaStream_t stream);

/// Lasts about so long.
cudaError_t busy(unsigned long long duration_ns, cudaStream_t stream);

}  // namespace collbench::gpu
