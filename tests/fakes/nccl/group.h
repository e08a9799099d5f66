// SPDX-License-Identifier: Apache-2.0
// Groups: what a thread issues between ncclGroupStart and the outermost ncclGroupEnd.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <functional>
#include <memory>

#include "operation.h"

namespace fakenccl {

/// An operation, and where it is to run.
struct Issued {
  std::shared_ptr<Communicator> comm;
  Operation op;
  cudaStream_t stream;
};

/// Issues an operation: at once, or with its group.
ncclResult_t issue(const std::shared_ptr<Communicator>& comm, const Operation& op,
                   cudaStream_t stream);

/// Work of the host that waits for other ranks: joins, splits. Run at once, or with its group, in
/// threads of their own so that one thread can hold several ranks.
struct Job {
  int device;  // current when it was issued
  bool blocking;
  std::function<ncclResult_t()> run;
  std::function<void()> undo;  // when it never runs; also when a blocking one fails
};
ncclResult_t issue(Job job);

/// Remembers that a call inside a group was refused, as ncclGroupEnd says it again. Returns
/// `result`.
ncclResult_t remember(ncclResult_t result);

}  // namespace fakenccl
