// SPDX-License-Identifier: Apache-2.0
// Memory of the fake devices, and pinned memory of the host.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace fakecuda {

enum class MemoryOf { device, host };

struct Allocation {
  std::byte* start;  // as the program has it
  std::byte* alias;  // as the fake works on it; of host memory the same
  std::size_t bytes;
  MemoryOf of;
  int device;  // that was current when it was made
};

/// Memory that is poisoned with 0xCB, starts at a multiple of 256 bytes, as CUDA's does, and ends
/// near a page that nobody may touch. Device memory has an address that nobody but the fake may
/// touch.
cudaError_t allocate(void** start, std::size_t bytes, MemoryOf of);

/// Its address is never given out again, so that what is used too late is found. Ends the process
/// where somebody wrote beside the memory.
cudaError_t release(void* start, MemoryOf of);

/// Releases all memory of a device, which must be drained.
void release_all(int device);

/// Bytes of device memory that this process has allocated.
std::uint64_t allocated_bytes(int device);

/// What an address of the program means.
struct Target {
  std::byte* at;                         // where the fake reads and writes
  std::optional<Allocation> allocation;  // none: pageable memory of the host
};

/// Nothing when [address, address + bytes) touches memory of ours that is not allocated, or no
/// more.
std::optional<Target> find_memory(const void* address, std::size_t bytes);

}  // namespace fakecuda
