// SPDX-License-Identifier: Apache-2.0
// FusedGroup: calls of MPI that progress together.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "comm/call.h"
#include "comm/mpi/mpi_calls.h"

namespace collbench {

/// Once started the calls must end before the object is destroyed, unless the run has failed.
class FusedGroup {
 public:
  /// Replaces the calls; those before have ended.
  void assign(std::span<const Call> calls, const CallContext& context);

  /// Starts all.
  void start();

  /// Starts all, but a collective that stands alone among them runs to its end, since another rank
  /// may have it in a group of its own, which is blocking: the two do not match otherwise.
  void start_with_blocking_collective();

  /// True when all have ended; lets MPI progress.
  bool test();

  /// Waits for the end, polling.
  void wait();

 private:
  void start(std::span<Call> calls);
  void finish();

  CallContext context_;
  std::vector<Call> calls_;
  std::vector<MPI_Request> requests_;
  std::vector<CallMemory> memory_;
};

}  // namespace collbench
