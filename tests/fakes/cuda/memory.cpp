// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <iterator>
#include <map>
#include <mutex>

#include "capture.h"
#include "fake_cuda.h"
#include "region.h"
#include "settings.h"
#include "stream.h"

namespace fakecuda {
namespace {

struct Table {
  std::mutex mutex;
  std::map<const std::byte*, Region> regions;  // by begin
  std::map<int, std::uint64_t> allocated;      // bytes by device
};

Table& table() {
  static Table& once = *new Table;
  return once;
}

Region* region_of(const std::byte* address) {
  const auto next = table().regions.upper_bound(address);
  if (next == table().regions.begin()) return nullptr;
  Region& region = std::prev(next)->second;
  return address < region.end() ? &region : nullptr;
}

void release_region(Region& region) {
  region.release();
  const Allocation& allocation = region.allocation();
  if (allocation.of == MemoryOf::device) table().allocated[allocation.device] -= allocation.bytes;
}

}  // namespace

cudaError_t allocate(void** start, std::size_t bytes, MemoryOf of) {
  if (start == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_unsafe_call(); error != cudaSuccess) return error;
  *start = nullptr;
  if (bytes == 0) return cudaSuccess;
  const int device = current_device();
  const std::lock_guard lock(table().mutex);
  std::uint64_t& allocated = table().allocated[device];
  const bool fits = of == MemoryOf::host || bytes <= settings().memory - allocated;
  if (!fits) return cudaErrorMemoryAllocation;
  const std::optional<Region> region = Region::make(bytes, of, device);
  if (!region) return cudaErrorMemoryAllocation;
  if (of == MemoryOf::device) allocated += bytes;
  table().regions.emplace(region->begin(), *region);
  *start = region->allocation().start;
  return cudaSuccess;
}

cudaError_t release(void* start, MemoryOf of) {
  if (start == nullptr) return cudaSuccess;
  if (const cudaError_t error = refuse_unsafe_call(); error != cudaSuccess) return error;
  const auto target = find_memory(start, 1);
  const bool whole = target && target->allocation && target->allocation->start == start;
  if (!whole || target->allocation->of != of) return cudaErrorInvalidValue;
  // As CUDA does, since work that is queued may use it.
  drain_device(target->allocation->device);

  const std::lock_guard lock(table().mutex);
  Region& region = *region_of(target->allocation->start);
  // Another thread may have been faster.
  if (!region.live()) return cudaErrorInvalidValue;
  release_region(region);
  return cudaSuccess;
}

void release_all(int device) {
  const std::lock_guard lock(table().mutex);
  for (auto& [begin, region] : table().regions) {
    const Allocation& allocation = region.allocation();
    const bool of_device = allocation.of == MemoryOf::device && allocation.device == device;
    if (region.live() && of_device) release_region(region);
  }
}

std::uint64_t allocated_bytes(int device) {
  const std::lock_guard lock(table().mutex);
  return table().allocated[device];
}

std::optional<Target> find_memory(const void* address, std::size_t bytes) {
  auto* const at = static_cast<std::byte*>(const_cast<void*>(address));
  const std::lock_guard lock(table().mutex);
  const Region* const region = region_of(at);
  if (region == nullptr) return Target{at, std::nullopt};
  const Allocation& allocation = region->allocation();
  if (!region->live() || at < allocation.start) return std::nullopt;
  const auto offset = static_cast<std::size_t>(at - allocation.start);
  if (offset > allocation.bytes || bytes > allocation.bytes - offset) return std::nullopt;
  return Target{allocation.alias + offset, allocation};
}

std::byte* alias(const void* device, std::size_t bytes) {
  const auto target = find_memory(device, bytes);
  const bool is_device = target && target->allocation && target->allocation->of == MemoryOf::device;
  return is_device ? target->at : nullptr;
}

}  // namespace fakecuda
