// SPDX-License-Identifier: Apache-2.0
// Which devices' memory the kernels of a device reach.
#include <cuda_runtime_api.h>

#include <mutex>
#include <set>
#include <utility>

#include "devices.h"
#include "errors.h"
#include "fake_cuda.h"

namespace fakecuda {
namespace {

struct Peers {
  std::mutex mutex;
  std::set<std::pair<int, int>> enabled;  // from, to
};

Peers& peers() {
  static Peers& once = *new Peers;
  return once;
}

}  // namespace

bool reaches(int device, int owner) {
  if (device == owner) return true;
  const std::lock_guard lock(peers().mutex);
  return peers().enabled.count({device, owner}) == 1;
}

}  // namespace fakecuda

extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return fakecuda::api([&] {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (!fakecuda::is_device(device) || !fakecuda::is_device(peer)) return cudaErrorInvalidDevice;
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return fakecuda::api([&] {
    if (flags != 0) return cudaErrorInvalidValue;
    const int device = fakecuda::current_device();
    if (!fakecuda::is_device(peer) || peer == device) return cudaErrorInvalidDevice;
    const std::lock_guard lock(fakecuda::peers().mutex);
    const bool is_new = fakecuda::peers().enabled.emplace(device, peer).second;
    return is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return fakecuda::api([&] {
    const std::lock_guard lock(fakecuda::peers().mutex);
    const auto erased = fakecuda::peers().enabled.erase({fakecuda::current_device(), peer});
    return erased == 1 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}
}
