// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/cuda_memory.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nccl.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/errors.h"
#include "comm/nccl/cuda_error.h"
#include "comm/nccl/nccl_error.h"

namespace collbench {
namespace {

constexpr Bytes kAlignment = 4096;  // that Memory promises

bool is_aligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % kAlignment == 0;
}

std::byte* aligned(void* data) {
  const Bytes past = reinterpret_cast<std::uintptr_t>(data) % kAlignment;
  return static_cast<std::byte*>(data) + (past == 0 ? 0 : kAlignment - past);
}

[[noreturn]] void throw_no_memory(Bytes bytes, const char* call, cudaError_t code) {
  cudaGetLastError();
  int device = -1;
  cudaGetDevice(&device);
  throw SystemError(fmt::format("cannot allocate {}: {} on device {} failed with {}",
                                format_bytes(bytes), call, device, cuda_error_text(code)));
}

// Memory that NCCL's GPUs may read of each other.
class NcclMemory final : public Memory {
 public:
  NcclMemory(Bytes bytes, std::shared_ptr<const RankComms> comms)
      : bytes_(bytes), comms_(std::move(comms)) {
    const ncclResult_t code = ncclMemAlloc(&start_, std::max<Bytes>(bytes, 1));
    if (code == ncclSuccess) return;
    cudaGetLastError();
    throw SystemError(fmt::format("cannot allocate {}: {}", format_bytes(bytes),
                                  nccl_failure(code, "ncclMemAlloc")));
  }
  ~NcclMemory() override {
    if (comms_->may_wait()) ncclMemFree(start_);
  }
  NcclMemory(const NcclMemory&) = delete;
  NcclMemory& operator=(const NcclMemory&) = delete;

  // It begins with a page of the device, of 2 MiB.
  std::byte* data() override { return static_cast<std::byte*>(start_); }
  Bytes bytes() const override { return bytes_; }

 private:
  Bytes bytes_;
  std::shared_ptr<const RankComms> comms_;
  void* start_ = nullptr;
};

class DeviceMemory final : public Memory {
 public:
  DeviceMemory(Bytes bytes, std::shared_ptr<const RankComms> comms)
      : bytes_(bytes), comms_(std::move(comms)), start_(allocate(std::max<Bytes>(bytes, 1))) {
    if (is_aligned(start_)) return;
    cudaFree(start_);
    start_ = allocate(bytes + kAlignment);
  }
  ~DeviceMemory() override {
    if (comms_->may_wait()) cudaFree(start_);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  std::byte* data() override { return aligned(start_); }
  Bytes bytes() const override { return bytes_; }

 private:
  static void* allocate(Bytes bytes) {
    void* start = nullptr;
    const cudaError_t code = cudaMalloc(&start, bytes);
    if (code != cudaSuccess) throw_no_memory(bytes, "cudaMalloc", code);
    return start;
  }

  Bytes bytes_;
  std::shared_ptr<const RankComms> comms_;
  void* start_;
};

class PinnedMemory final : public Memory {
 public:
  PinnedMemory(Bytes bytes, std::shared_ptr<const RankComms> comms)
      : bytes_(bytes), comms_(std::move(comms)) {
    const cudaError_t code =
        cudaHostAlloc(&start_, std::max<Bytes>(bytes, 1) + kAlignment, cudaHostAllocDefault);
    if (code != cudaSuccess) throw_no_memory(bytes, "cudaHostAlloc", code);
  }
  ~PinnedMemory() override {
    if (comms_->may_wait()) cudaFreeHost(start_);
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  std::byte* data() override { return aligned(start_); }
  Bytes bytes() const override { return bytes_; }

 private:
  Bytes bytes_;
  std::shared_ptr<const RankComms> comms_;
  void* start_ = nullptr;
};

// Pages that no device knows of.
class PageableMemory final : public Memory {
 public:
  explicit PageableMemory(Bytes bytes) : bytes_(bytes) {
    const Bytes pages = std::max<Bytes>(1, (bytes + kAlignment - 1) / kAlignment);
    data_ = static_cast<std::byte*>(std::aligned_alloc(kAlignment, pages * kAlignment));
    if (data_ == nullptr) {
      throw SystemError(
          fmt::format("cannot allocate {}: the host has no more", format_bytes(bytes)));
    }
    std::memset(data_, 0, bytes);  // the pages are there, and near the rank's core
  }
  ~PageableMemory() override { std::free(data_); }
  PageableMemory(const PageableMemory&) = delete;
  PageableMemory& operator=(const PageableMemory&) = delete;

  std::byte* data() override { return data_; }
  Bytes bytes() const override { return bytes_; }

 private:
  Bytes bytes_;
  std::byte* data_;
};

}  // namespace

std::unique_ptr<Memory> allocate_nccl_memory(Bytes bytes, std::shared_ptr<const RankComms> comms) {
  return std::make_unique<NcclMemory>(bytes, std::move(comms));
}

std::unique_ptr<Memory> allocate_cuda_memory(Bytes bytes, MemoryKind kind,
                                             std::shared_ptr<const RankComms> comms) {
  switch (kind) {
    case MemoryKind::device:
    case MemoryKind::communicate:
      return std::make_unique<DeviceMemory>(bytes, std::move(comms));
    case MemoryKind::pinned:
      return std::make_unique<PinnedMemory>(bytes, std::move(comms));
    case MemoryKind::host:
      return std::make_unique<PageableMemory>(bytes);
  }
  return nullptr;
}

}  // namespace collbench
