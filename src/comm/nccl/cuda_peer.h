// SPDX-License-Identifier: Apache-2.0
// Another GPU of the host: memory there, and copies to it.
#pragma once

#include <memory>
#include <string>

#include "comm/device.h"
#include "comm/nccl/rank_comms.h"

namespace collbench {

/// The GPU of this PCI address, for a rank whose own is `device`, the calling thread's current one,
/// which stays that; nullptr where the process does not see it. Throws SystemError.
std::unique_ptr<PeerDevice> find_cuda_peer(int device, const std::string& bus_id,
                                           std::shared_ptr<RankComms> comms);

}  // namespace collbench
