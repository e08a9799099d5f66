// SPDX-License-Identifier: Apache-2.0
// What NCCL's results say.
#pragma once

#include <nccl.h>

#include <string>

namespace collbench {

/// "ncclRemoteError (6): remote process exited or there was a network error; ...", with the last
/// message of NCCL, if it has left one, on one line.
std::string nccl_error_text(ncclResult_t code);

/// "ncclAllReduce failed with ncclInvalidUsage (5): ...". Rank and host are added where it is
/// caught.
std::string nccl_failure(ncclResult_t code, const char* call);

/// Throws SystemError.
[[noreturn]] void throw_nccl_error(ncclResult_t code, const char* call);

inline void check_nccl(ncclResult_t code, const char* call) {
  if (code != ncclSuccess) throw_nccl_error(code, call);
}

}  // namespace collbench
