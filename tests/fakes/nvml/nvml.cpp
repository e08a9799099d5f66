// SPDX-License-Identifier: Apache-2.0
// A management library whose devices are those of the fake CUDA runtime, with the clock and the
// reasons for a lower one that the environment says.
#include "nvml.h"

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "../environment.h"

struct nvmlDevice_st {
  unsigned sm_mhz;
  std::uint64_t reasons;
};

namespace {

constexpr unsigned kMemoryMHz = 2619;

/// Reads the environment once.
struct Library {
  int devices = fakes::number("FAKE_CUDA_DEVICES", 8, 0, 64);
  // Every device says the same, so one object stands for all.
  nvmlDevice_st device = {fakes::number("FAKE_NVML_SM_MHZ", 1980U, 0U, 10'000U),
                          fakes::hex_mask("FAKE_NVML_REASONS", 0)};
  std::atomic<int> users = 0;  // nvmlInit less nvmlShutdown

  Library() { fakes::refuse_others("FAKE_NVML_"); }
};

Library& library() {
  static Library& once = *new Library;
  return once;
}

bool ready() { return library().users > 0; }

/// The bus in an address such as 0000:01:00.0, whose domain may have 8 digits; -1 in any other.
int bus_of(const char* address) {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  unsigned function = 0;
  int used = 0;
  const int found = std::sscanf(address, "%x:%x:%x.%u%n", &domain, &bus, &device, &function, &used);
  const bool whole = found == 4 && address[used] == '\0';
  return whole && domain == 0 && device == 0 && function == 0 ? static_cast<int>(bus) : -1;
}

nvmlReturn_t check(nvmlDevice_t device, const void* out) {
  if (!ready()) return NVML_ERROR_UNINITIALIZED;
  return device != &library().device || out == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t nvmlInit_v2() {
  ++library().users;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlShutdown() {
  if (!ready()) return NVML_ERROR_UNINITIALIZED;
  --library().users;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, nvmlDevice_t* device) {
  if (!ready()) return NVML_ERROR_UNINITIALIZED;
  if (bus_id == nullptr || device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const int bus = bus_of(bus_id);
  if (bus < 1 || bus > library().devices) return NVML_ERROR_NOT_FOUND;
  *device = &library().device;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int clock, unsigned* mhz) {
  if (const nvmlReturn_t bad = check(device, mhz); bad != NVML_SUCCESS) return bad;
  if (clock < NVML_CLOCK_GRAPHICS || clock > NVML_CLOCK_VIDEO) return NVML_ERROR_INVALID_ARGUMENT;
  *mhz = clock == NVML_CLOCK_MEM ? kMemoryMHz : device->sm_mhz;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long* mask) {
  if (const nvmlReturn_t bad = check(device, mask); bad != NVML_SUCCESS) return bad;
  *mask = device->reasons;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device,
                                                       unsigned long long* mask) {
  return nvmlDeviceGetCurrentClocksEventReasons(device, mask);
}

const char* nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "Invalid Argument";
    case NVML_ERROR_NOT_FOUND:
      return "Not Found";
    default:
      return "Unknown Error";
  }
}
