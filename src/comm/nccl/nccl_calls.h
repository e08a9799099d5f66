// SPDX-License-Identifier: Apache-2.0
// Each kind of call as what NCCL has: a collective, or a group of sends and receives.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <span>

#include "comm/call.h"
#include "comm/nccl/nccl_types.h"

namespace collbench {

/// What calls are made with.
struct NcclContext {
  ncclComm_t comm = nullptr;
  int rank = 0;
  int size = 1;
  NcclOps* ops = nullptr;
  cudaStream_t stream = nullptr;
  bool native_exchanges = false;  // alltoall, gather and scatter by calls of their own
};

/// What NCCL has said, and to which of its functions.
struct NcclResult {
  ncclResult_t code = ncclSuccess;
  const char* call = "";

  bool failed() const { return code != ncclSuccess; }
};

/// Puts the calls on the stream; more than one call of NCCL's as one group. After a failure none of
/// the group's remaining calls has been made.
NcclResult enqueue_calls(std::span<const Call> calls, const NcclContext& context);

}  // namespace collbench
