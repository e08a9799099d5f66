// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/cuda_peer.h"

#include <cuda_runtime_api.h>

#include "comm/nccl/cuda_error.h"
#include "comm/nccl/cuda_memory.h"
#include "comm/nccl/cuda_stream.h"

namespace collbench {
namespace {

// Makes a device the calling thread's current one while it lives.
class OnDevice {
 public:
  OnDevice(int device, int back) : back_(back) { COLLBENCH_CUDA_CHECK(cudaSetDevice(device)); }
  ~OnDevice() { cudaSetDevice(back_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int back_;
};

// Of the current device to memory of another. Another rank of the process may have done so.
void set_access_to(int device, bool enabled) {
  const cudaError_t code =
      enabled ? cudaDeviceEnablePeerAccess(device, 0) : cudaDeviceDisablePeerAccess(device);
  if (code == cudaErrorPeerAccessAlreadyEnabled || code == cudaErrorPeerAccessNotEnabled) {
    cudaGetLastError();
    return;
  }
  COLLBENCH_CUDA_CHECK(code);
}

bool reaches(int device, int other) {
  int can = 0;
  COLLBENCH_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, other));
  return can == 1;
}

class CudaPeer final : public PeerDevice {
 public:
  CudaPeer(int own, int peer, std::shared_ptr<RankComms> comms)
      : own_(own), peer_(peer), comms_(std::move(comms)) {}

  std::unique_ptr<Memory> allocate(Bytes bytes) override {
    const OnDevice there(peer_, own_);
    return allocate_cuda_memory(bytes, MemoryKind::device, comms_);
  }

  bool can_access() const override { return reaches(own_, peer_) && reaches(peer_, own_); }

  void set_access(bool enabled) override {
    set_access_to(peer_, enabled);
    const OnDevice there(peer_, own_);
    set_access_to(own_, enabled);
  }

  void copy_to(void* to, const void* from, Bytes bytes, Stream& stream) override {
    if (bytes == 0) return;
    COLLBENCH_CUDA_CHECK(cudaMemcpyPeerAsync(to, peer_, from, own_, bytes,
                                             static_cast<CudaStream&>(stream).handle()));
  }

 private:
  int own_, peer_;
  std::shared_ptr<RankComms> comms_;
};

}  // namespace

std::unique_ptr<PeerDevice> find_cuda_peer(int device, const std::string& bus_id,
                                           std::shared_ptr<RankComms> comms) {
  int peer = 0;
  const cudaError_t code = cudaDeviceGetByPCIBusId(&peer, bus_id.c_str());
  if (code == cudaErrorInvalidDevice || code == cudaErrorInvalidValue) {
    cudaGetLastError();
    return nullptr;
  }
  COLLBENCH_CUDA_CHECK(code);
  return std::make_unique<CudaPeer>(device, peer, std::move(comms));
}

}  // namespace collbench
