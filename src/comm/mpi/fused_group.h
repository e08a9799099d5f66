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

  /// Starts all, but for what must wait: a collective in pieces takes memory for each, so that one
  /// starts when the one before it has ended, and so do the collectives after it.
  void start();

  /// False while something waits for its start, which test() and wait() see to. The communicator
  /// must start no other collective meanwhile.
  bool all_started() const { return next_later_ == later_.size(); }

  /// Starts all, but a collective that stands alone among them runs to its end, since another rank
  /// may have it in a group of its own, which is blocking: the two do not match otherwise.
  void start_with_blocking_collective();

  /// True when all have ended; lets MPI progress.
  bool test();

  /// Waits for the end, polling.
  void wait();

 private:
  void start(std::span<Call> calls);
  void start_one(Call& call);
  void start_large(Call& call);
  bool start_later();
  void finish();

  CallContext context_;
  std::vector<Call> calls_;
  std::vector<MPI_Request> requests_;
  std::vector<CallMemory> memory_;

  std::vector<Call> later_;  // collectives that start one after the other
  std::size_t next_later_ = 0;
  MPI_Request latest_ = MPI_REQUEST_NULL;  // of the one that has started last
  CallMemory memory_of_latest_;
};

}  // namespace collbench
