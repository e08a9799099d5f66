// SPDX-License-Identifier: Apache-2.0
// The environment of a run, gathered from all ranks.
#pragma once

#include <string>
#include <vector>

#include "comm/control_plane.h"
#include "comm/device.h"
#include "results/document.h"

namespace collbench {

/// Hosts in order of their first rank, and where each rank runs; complete on every rank. Variables
/// are rank 0's. Collective over the run.
Environment gather_environment(ControlPlane& control, const DeviceFacts& device);

}  // namespace collbench
