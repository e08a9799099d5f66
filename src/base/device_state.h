// SPDX-License-Identifier: Apache-2.0
// How fast a device runs, and what keeps it from running faster.
#pragma once

#include <string>
#include <vector>

namespace collbench {

/// What a device's clock does at a moment.
struct DeviceState {
  double clock_MHz = 0;
  std::vector<std::string> throttled_by;  // "sw_power_cap"; empty at full speed

  bool operator==(const DeviceState&) const = default;
};

}  // namespace collbench
