// SPDX-License-Identifier: Apache-2.0
// A Call as MPI makes it: the only place that knows the kinds of calls.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "comm/call.h"
#include "comm/mpi/large_count.h"
#include "comm/mpi/mpi_types.h"

namespace collbench {

/// A communicator as its calls need it.
struct CallContext {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  const MpiTypes* types = nullptr;
  std::vector<std::byte>* scratch = nullptr;  // of the communicator, for blocking calls
};

/// Throws SystemError for a peer or root that the communicator does not have: MPI itself takes some
/// numbers for wildcards.
void check_ranks(const Call& call, const CallContext& context);

/// The counts of an all_to_all_v as MPI wants them.
struct MpiPeerCounts {
  std::vector<MpiCount> send, recv;
  std::vector<MpiDisplacement> send_first, recv_first;
};

/// Runs the call to its end.
void run_blocking(const Call& call, const CallContext& context);

/// Calls that progress together. Once started they must end before the object is destroyed, unless
/// the run has failed.
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
  void start(const Call& call);
  void finish();

  CallContext context_;
  std::vector<Call> calls_;
  std::vector<MPI_Request> requests_;
  std::vector<MpiPeerCounts> counts_;  // which MPI reads until the calls have ended
};

}  // namespace collbench
