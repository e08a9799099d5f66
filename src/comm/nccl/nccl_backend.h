// SPDX-License-Identifier: Apache-2.0
// The nccl backend: one GPU per rank, and NCCL between the ranks.
#pragma once

#include <memory>

#include "comm/backend.h"

namespace collbench {

/// Of this process. Throws SystemError.
std::unique_ptr<BackendProcess> make_nccl_process();

}  // namespace collbench
