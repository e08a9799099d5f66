// SPDX-License-Identifier: Apache-2.0
// A rank takes its GPU, once all ranks of the run have found that they can run together.
#pragma once

#include "comm/backend.h"
#include "comm/nccl/nccl_types.h"

namespace collbench {

/// Makes the rank's GPU the calling thread's current one; says what the GPUs of all ranks can.
/// Collective over the run. Throws CommonSystemError, the same on every rank.
Float8Support take_seat(const BackendSeat& seat);

}  // namespace collbench
