// SPDX-License-Identifier: Apache-2.0
// A configuration by names as NCCL takes it.
#pragma once

#include <nccl.h>

#include "comm/nccl_config.h"

namespace collbench {

/// Of values that have been looked at: see refuse_newer_use. Texts in it are those of `config`,
/// which must outlive what NCCL does with it.
ncclConfig_t nccl_config_of(const NcclConfig& config);

}  // namespace collbench
