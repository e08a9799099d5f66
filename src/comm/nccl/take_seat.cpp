// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/take_seat.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/errors.h"
#include "base/host.h"
#include "comm/host_limits.h"
#include "comm/nccl/cuda_device.h"
#include "comm/nccl/cuda_error.h"
#include "comm/nccl/placement.h"
#include "comm/nccl/requirements.h"

namespace collbench {
namespace {

// What a rank knows of the GPU that it takes.
struct OwnGpu {
  GpuSeat seat;
  int compute_capability = 0;
};

int compute_capability_of(int device) {
  int major = 0;
  int minor = 0;
  COLLBENCH_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  COLLBENCH_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return 10 * major + minor;
}

int device_of(const BackendSeat& seat, int visible) {
  if (!seat.first_device) return device_of_rank(seat.local_rank, seat.local_size, visible);
  const int device = *seat.first_device + seat.thread;
  if (device < visible) return device;
  throw SystemError(
      fmt::format("NCCL_TESTS_DEVICE is {}, which gives it device {}, and there are {}",
                  *seat.first_device, device, visible));
}

void take_gpu(const BackendSeat& seat, OwnGpu& own) {
  COLLBENCH_CUDA_CHECK(cudaGetDeviceCount(&own.seat.visible));
  const int device = device_of(seat, own.seat.visible);
  own.seat.bus_id = bus_id_of(device);
  own.compute_capability = compute_capability_of(device);
  COLLBENCH_CUDA_CHECK(cudaSetDevice(device));  // also makes its context, or fails here
}

// What NCCL takes for one host when it refuses two ranks on one GPU.
std::string machine_of_nccl() {
  const char* const given = std::getenv("NCCL_HOSTID");
  return given != nullptr && *given != '\0' ? given : machine_id();
}

OwnGpu take_own_gpu(const BackendSeat& seat) {
  OwnGpu own;
  own.seat.machine = machine_of_nccl();
  own.seat.host = host_name();
  own.seat.nccl_version = loaded_nccl_version();
  try {
    take_gpu(seat, own);
  } catch (const SystemError& error) {
    own.seat.failure = error.what();
  }
  return own;
}

std::vector<GpuSeat> gather_seats(const GpuSeat& mine, ControlPlane& control) {
  const auto machines = control.all_gather_text(mine.machine);
  const auto hosts = control.all_gather_text(mine.host);
  const auto bus_ids = control.all_gather_text(mine.bus_id);
  const auto failures = control.all_gather_text(mine.failure);
  const auto visible = control.all_gather(mine.visible);
  const auto versions = control.all_gather(mine.nccl_version);
  std::vector<GpuSeat> seats;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    seats.push_back({machines[i], hosts[i], bus_ids[i], failures[i], visible[i], versions[i]});
  }
  return seats;
}

}  // namespace

Float8Support take_seat(const BackendSeat& seat) {
  const OwnGpu own = take_own_gpu(seat);
  const std::string fault = seating_fault(gather_seats(own.seat, seat.control));
  if (!fault.empty()) throw CommonSystemError(fault);
  const std::vector<int> capabilities = seat.control.all_gather(own.compute_capability);
  return {own.seat.nccl_version, *std::min_element(capabilities.begin(), capabilities.end())};
}

}  // namespace collbench
