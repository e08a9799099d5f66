// SPDX-License-Identifier: Apache-2.0
// What of NCCL a version of it has, of what a run may ask for.
#pragma once

#include "comm/nccl_use.h"

namespace collbench {

/// Throws UserError where NCCL of this version has not what is asked for, or this build was made
/// with a header that has not. The same on every rank, since all have one version.
void refuse_newer_use(const NcclUse& use, int library, int header);

}  // namespace collbench
