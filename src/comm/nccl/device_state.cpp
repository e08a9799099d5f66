// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/device_state.h"

#include <dlfcn.h>

#include <array>
#include <string_view>
#include <utility>

namespace collbench {
namespace {

// NVML's interface, as far as it is used here; its header comes with no package of the runtime.
constexpr const char* kLibrary = "libnvidia-ml.so.1";
constexpr int kSuccess = 0;
constexpr unsigned kMultiprocessorClock = 1;
using Init = int();
using HandleByBusId = int(const char* bus_id, void** device);

// That it idles, or runs at the clock that its owner has set for applications, as clusters do.
constexpr unsigned long long kAsIntended = 0x1 | 0x2;
constexpr std::array<std::pair<unsigned long long, std::string_view>, 7> kReasons = {{
    {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
}};

// The first of the names that the library has.
template <class Function>
Function* find(void* library, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* symbol = dlsym(library, name)) return reinterpret_cast<Function*>(symbol);
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> throttle_reasons(unsigned long long bits) {
  std::vector<std::string> names;
  bits &= ~kAsIntended;
  for (const auto& [bit, name] : kReasons) {
    if ((bits & bit) != 0) names.emplace_back(name);
    bits &= ~bit;
  }
  if (bits != 0) names.emplace_back("other");
  return names;
}

void DeviceMonitor::open() {
  opened_ = true;
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);  // stays: the driver's own use it, too
  if (library == nullptr) return;
  auto* init = find<Init>(library, {"nvmlInit_v2"});
  auto* handle = find<HandleByBusId>(library, {"nvmlDeviceGetHandleByPciBusId_v2"});
  if (init == nullptr || handle == nullptr || init() != kSuccess) return;
  if (handle(bus_id_.c_str(), &device_) != kSuccess) device_ = nullptr;
  clock_info_ = find<std::remove_pointer_t<Ask>>(library, {"nvmlDeviceGetClockInfo"});
  // The older name goes away with some later driver.
  reasons_ = find<std::remove_pointer_t<AskReasons>>(
      library,
      {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
}

std::optional<DeviceState> DeviceMonitor::state() {
  if (!opened_) open();
  if (device_ == nullptr || clock_info_ == nullptr) return std::nullopt;
  unsigned clock_MHz = 0;
  if (clock_info_(device_, kMultiprocessorClock, &clock_MHz) != kSuccess) return std::nullopt;
  DeviceState state{static_cast<double>(clock_MHz), {}};
  unsigned long long bits = 0;
  if (reasons_ != nullptr && reasons_(device_, &bits) == kSuccess) {
    state.throttled_by = throttle_reasons(bits);
  }
  return state;
}

}  // namespace collbench
