// SPDX-License-Identifier: Apache-2.0
// Whether NCCL can do a collective with its copy engines instead of CTAs, where that is asked for.
#pragma once

#include <string>

#include "comm/nccl_use.h"
#include "traffic/traffic.h"

namespace collbench {

/// What NCCL's choice depends on, of what can be known from outside.
struct ZeroCtaCase {
  Collective collective;
  int nodes = 1;        // hosts of the communicator
  int nccl = 0;         // its version, as ncclGetVersion gives it
  int cuda_driver = 0;  // as cudaDriverGetVersion gives it
};

/// Why NCCL falls back to its kernels without a word, as a clause; empty where nothing known speaks
/// against copy engines, or zero CTAs are not asked for. Source: ncclCeAvailable and taskAppend of
/// NCCL 2.28.9. GPUs that cannot read each other's memory are not seen here.
std::string why_not_zero_cta(const NcclUse& use, const ZeroCtaCase& known);

}  // namespace collbench
