// SPDX-License-Identifier: Apache-2.0
// Memory that NCCL has been told of, for one communicator.
#pragma once

#include <memory>

#include "comm/communicator.h"
#include "comm/nccl/rank_comms.h"
#include "comm/nccl_use.h"

namespace collbench {

/// The memory stays registered until what is returned is destroyed, which must happen before the
/// communicator and the memory go. nullptr where nothing is to be registered. Collective over the
/// communicator. Throws SystemError.
std::unique_ptr<RegisteredMemory> register_nccl_memory(Registration how, Memory& memory,
                                                       const std::shared_ptr<RankComms>& comms,
                                                       const std::shared_ptr<OpenComm>& open);

}  // namespace collbench
