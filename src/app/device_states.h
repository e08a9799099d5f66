// SPDX-License-Identifier: Apache-2.0
// What the devices of all ranks say of their clocks at a moment.
#pragma once

#include <optional>
#include <vector>

#include "comm/control_plane.h"
#include "comm/device.h"

namespace collbench {

/// By rank; nothing where a device does not tell. Collective over the run.
std::vector<std::optional<DeviceState>> gather_states(ControlPlane& control, Device& device);

}  // namespace collbench
