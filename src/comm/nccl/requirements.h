// SPDX-License-Identifier: Apache-2.0
// Whether this process can have the nccl backend at all.
#pragma once

#include <string>

namespace collbench {

/// Why not, as one clause; empty when it can: there is a device with a driver for this CUDA, and
/// NCCL is new enough. Asks CUDA first, since NCCL starts threads without looking for a device.
std::string why_no_nccl();

/// As ncclGetVersion gives it; 0 when it does not.
int loaded_nccl_version();

}  // namespace collbench
