// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>

#include "capture.h"
#include "errors.h"
#include "fake_cuda.h"
#include "settings.h"
#include "stream.h"

namespace fakecuda {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr int kPoison = 0xCB;

/// Addresses that were given out once. They stay reserved, without memory, when it is freed.
struct Region {
  std::byte* begin;
  std::byte* end;  // the guard page included
  Allocation allocation;
  bool live;
};

struct Table {
  std::mutex mutex;
  std::map<const std::byte*, Region> regions;  // by begin
  std::map<int, std::uint64_t> allocated;      // bytes by device
};

Table& table() {
  static Table& once = *new Table;
  return once;
}

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

/// Pages that nobody may touch; null when there are no more addresses.
std::byte* reserve(std::size_t bytes) {
  void* const pages =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
}

/// The same, with memory in all pages but the last.
std::byte* reserve_memory(std::size_t bytes, std::size_t guard) {
  std::byte* const pages = reserve(bytes);
  if (pages == nullptr) return nullptr;
  if (mprotect(pages, bytes - guard, PROT_READ | PROT_WRITE) == 0) return pages;
  munmap(pages, bytes);
  return nullptr;
}

/// Makes a region with memory for so many bytes; nothing when the machine has no more.
std::optional<Region> make_region(std::size_t bytes, MemoryOf of) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t used = round_up(bytes, kAlignment);
  const std::size_t span = round_up(used, page) + page;
  std::byte* const memory = reserve_memory(span, page);
  if (memory == nullptr) return std::nullopt;
  std::byte* const begin = of == MemoryOf::device ? reserve(span) : memory;
  if (begin == nullptr) {
    munmap(memory, span);
    return std::nullopt;
  }
  const std::size_t lead = span - page - used;
  std::memset(memory, kPoison, span - page);
  return Region{
      begin, begin + span, {begin + lead, memory + lead, bytes, of, current_device()}, true};
}

const Region* region_of(const std::byte* address) {
  auto next = table().regions.upper_bound(address);
  if (next == table().regions.begin()) return nullptr;
  const Region& region = std::prev(next)->second;
  return address < region.end ? &region : nullptr;
}

/// Gives the memory back and keeps the addresses.
void unmap(const Region& region) {
  const std::size_t span = static_cast<std::size_t>(region.end - region.begin);
  const std::size_t lead = static_cast<std::size_t>(region.allocation.start - region.begin);
  if (region.allocation.of == MemoryOf::device) {
    munmap(region.allocation.alias - lead, span);
  } else {
    mmap(region.begin, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
  }
}

}  // namespace

cudaError_t allocate(void** start, std::size_t bytes, MemoryOf of) {
  if (start == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_unsafe_call(); error != cudaSuccess) return error;
  *start = nullptr;
  if (bytes == 0) return cudaSuccess;
  const std::lock_guard lock(table().mutex);
  std::uint64_t& allocated = table().allocated[current_device()];
  const bool fits = of == MemoryOf::host || bytes <= settings().memory - allocated;
  if (!fits) return cudaErrorMemoryAllocation;
  const std::optional<Region> region = make_region(bytes, of);
  if (!region) return cudaErrorMemoryAllocation;
  if (of == MemoryOf::device) allocated += bytes;
  table().regions.emplace(region->begin, *region);
  *start = region->allocation.start;
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
  Region& region = table().regions.at(region_of(target->allocation->start)->begin);
  if (!region.live) return cudaErrorInvalidValue;
  region.live = false;
  unmap(region);
  if (of == MemoryOf::device)
    table().allocated[region.allocation.device] -= region.allocation.bytes;
  return cudaSuccess;
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
  const Allocation& allocation = region->allocation;
  if (!region->live || at < allocation.start) return std::nullopt;
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

namespace {

cudaError_t pointer_attributes(cudaPointerAttributes* out, const void* pointer) {
  if (out == nullptr) return cudaErrorInvalidValue;
  const auto target = fakecuda::find_memory(pointer, 1);
  if (!target) return cudaErrorInvalidValue;
  *out = {};
  auto* const address = const_cast<void*>(pointer);
  if (!target->allocation) {
    out->type = cudaMemoryTypeUnregistered;
    out->device = cudaInvalidDeviceId;
    out->hostPointer = address;
    return cudaSuccess;
  }
  const bool is_device = target->allocation->of == fakecuda::MemoryOf::device;
  out->type = is_device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
  out->device = target->allocation->device;
  out->devicePointer = address;
  out->hostPointer = is_device ? nullptr : address;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** start, std::size_t bytes) {
  return fakecuda::api(
      [&] { return fakecuda::allocate(start, bytes, fakecuda::MemoryOf::device); });
}

cudaError_t cudaFree(void* start) {
  return fakecuda::api([&] { return fakecuda::release(start, fakecuda::MemoryOf::device); });
}

cudaError_t cudaMallocHost(void** start, std::size_t bytes) {
  return fakecuda::api([&] { return fakecuda::allocate(start, bytes, fakecuda::MemoryOf::host); });
}

cudaError_t cudaHostAlloc(void** start, std::size_t bytes, unsigned int) {
  return cudaMallocHost(start, bytes);
}

cudaError_t cudaFreeHost(void* start) {
  return fakecuda::api([&] { return fakecuda::release(start, fakecuda::MemoryOf::host); });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  return fakecuda::api([&] {
    const auto target = fakecuda::find_memory(host, 1);
    const bool pinned = target && target->allocation && target->at == host;
    if (device == nullptr || !pinned) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return fakecuda::api([&] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *total = fakecuda::settings().memory;
    *free = *total - fakecuda::allocated_bytes(fakecuda::current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* pointer) {
  return fakecuda::api([&] { return pointer_attributes(out, pointer); });
}
}
