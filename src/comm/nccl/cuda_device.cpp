// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/cuda_device.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "comm/host_limits.h"
#include "comm/nccl/cuda_error.h"
#include "comm/nccl/cuda_gemms.h"
#include "comm/nccl/cuda_memory.h"
#include "comm/nccl/cuda_peer.h"
#include "comm/nccl/cuda_stream.h"
#include "comm/nccl/kernels.h"

namespace collbench {
namespace {

DeviceFacts facts_of_current() {
  int device = 0;
  COLLBENCH_CUDA_CHECK(cudaGetDevice(&device));
  cudaDeviceProp properties{};
  COLLBENCH_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  return {properties.name, bus_id_of(device), device};
}

double steady_now_s() { return SteadyClock().now_s(); }

using ClockNow = double();

ClockNow* find_clock() {
  void* other = dlsym(RTLD_DEFAULT, "collbench_clock_now_s");
  return other == nullptr ? steady_now_s : reinterpret_cast<ClockNow*>(other);
}

// NCCL makes its buffers when they are first needed: some 10 MiB for each pair of ranks that talk,
// and CUDA keeps room for local variables of kernels.
constexpr Bytes kReserve_bytes = 1ULL << 30;

Bytes less_reserve(Bytes free) { return free - std::min(kReserve_bytes, free / 8); }

}  // namespace

std::string bus_id_of(int device) {
  std::array<char, 32> text{};
  COLLBENCH_CUDA_CHECK(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device));
  return text.data();
}

CudaDevice::CudaDevice(const CudaUse& use, std::shared_ptr<RankComms> comms)
    : use_(use),
      comms_(std::move(comms)),
      facts_(facts_of_current()),
      clock_now_s_(find_clock()),
      kernels_(comms_, use.check_on_host),
      monitor_(facts_.bus_id),
      event_clock_(now_s()) {
  COLLBENCH_CUDA_CHECK(gpu::load());
}

Bytes CudaDevice::available(MemoryKind kind) {
  if (kind != MemoryKind::device && kind != MemoryKind::communicate) {
    return available_memory() / static_cast<Bytes>(use_.local_ranks);
  }
  return less_reserve(*free_bytes());
}

std::optional<Bytes> CudaDevice::free_bytes() const {
  std::size_t free = 0;
  std::size_t total = 0;
  COLLBENCH_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return free;
}

std::unique_ptr<Memory> CudaDevice::allocate(Bytes bytes, MemoryKind kind) {
  if (kind == MemoryKind::communicate && use_.allocator == Allocator::library) {
    return allocate_nccl_memory(bytes, comms_);
  }
  return allocate_cuda_memory(bytes, kind, comms_);
}

std::unique_ptr<Stream> CudaDevice::make_stream() {
  return std::make_unique<CudaStream>(comms_, use_.default_stream);
}

std::unique_ptr<Event> CudaDevice::make_event() { return std::make_unique<CudaEvent>(); }

void CudaDevice::record(Event& event, Stream& stream) {
  auto& cuda_event = static_cast<CudaEvent&>(event);
  const std::shared_ptr<EventBase> base = event_clock_.base(now_s());
  COLLBENCH_CUDA_CHECK(
      cudaEventRecord(cuda_event.handle(), static_cast<CudaStream&>(stream).handle()));
  cuda_event.note_record(base);
}

void CudaDevice::wait(Stream& stream, Event& event) {
  auto& cuda_event = static_cast<CudaEvent&>(event);
  if (!cuda_event.is_recorded()) return;
  COLLBENCH_CUDA_CHECK(cudaStreamWaitEvent(static_cast<CudaStream&>(stream).handle(),
                                           cuda_event.handle(), cudaEventWaitDefault));
}

std::unique_ptr<Gemms> CudaDevice::make_gemms(std::span<const GemmShape> shapes) {
  return make_cuda_gemms(shapes, *this, comms_);
}

std::unique_ptr<PeerDevice> CudaDevice::peer(const std::string& bus_id) {
  return find_cuda_peer(facts_.index, bus_id, comms_);
}

}  // namespace collbench
