// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU, and memory of the host that a GPU can read as fast as it can.
#pragma once

#include <memory>

#include "comm/device.h"
#include "comm/nccl/rank_comms.h"

namespace collbench {

/// Throws SystemError: what could not be had, of which device, and why. Freeing memory waits for
/// the device, so that nothing is freed once the rank's work has failed.
std::unique_ptr<Memory> allocate_cuda_memory(Bytes bytes, MemoryKind kind,
                                             std::shared_ptr<const RankComms> comms);

/// The device's, by ncclMemAlloc; likewise.
std::unique_ptr<Memory> allocate_nccl_memory(Bytes bytes, std::shared_ptr<const RankComms> comms);

}  // namespace collbench
