// SPDX-License-Identifier: Apache-2.0
// What the environment says about the fake runtime, read once. docs/testing.md lists the variables.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace fakecuda {

struct Settings {
  bool virtual_time;         // FAKE_CUDA_VTIME
  bool inline_items;         // FAKE_CUDA_INLINE
  double query_wait_s;       // FAKE_CUDA_QUERY_WAIT_US
  double call_s;             // FAKE_CUDA_CALL_US
  double kernel_s;           // FAKE_CUDA_KERNEL_US
  double copy_Bps;           // FAKE_CUDA_COPY_GBPS, of virtual time; 0: a copy takes none
  std::uint64_t memory;      // FAKE_CUDA_MEMORY, bytes of each device
  std::vector<int> devices;  // the machine's number of each visible device

  /// FAKE_CUDA_NONE: the error of every call that needs a device.
  std::optional<cudaError_t> no_device;
};

const Settings& settings();

}  // namespace fakecuda
