// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nccl.h>

#include <string>

namespace fakenccl {

/// Keeps the message for ncclGetLastError, prints it when NCCL_DEBUG is set, and returns the code.
ncclResult_t error(ncclResult_t code, const std::string& message);

/// One line on stderr, whatever NCCL_DEBUG says.
void say(const std::string& message);

}  // namespace fakenccl
