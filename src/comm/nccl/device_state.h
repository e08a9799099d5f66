// SPDX-License-Identifier: Apache-2.0
// DeviceMonitor: what a GPU's clock does, by NVML, the driver's library for that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/device.h"

namespace collbench {

/// The names of the bits of NVML that say why a clock is not at its highest: "sw_power_cap". Bits
/// without a name count as "other"; a GPU that idles or keeps a clock that was set is not
/// throttled.
std::vector<std::string> throttle_reasons(unsigned long long bits);

/// Loads NVML at its first use, and tells nothing where it is not.
class DeviceMonitor {
 public:
  explicit DeviceMonitor(std::string bus_id) : bus_id_(std::move(bus_id)) {}

  std::optional<DeviceState> state();

 private:
  using Ask = int (*)(void* device, unsigned what, unsigned* answer);
  using AskReasons = int (*)(void* device, unsigned long long* bits);

  void open();

  std::string bus_id_;
  bool opened_ = false;
  void* device_ = nullptr;
  Ask clock_info_ = nullptr;
  AskReasons reasons_ = nullptr;
};

}  // namespace collbench
