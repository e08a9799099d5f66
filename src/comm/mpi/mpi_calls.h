// SPDX-License-Identifier: Apache-2.0
// A Call as MPI makes it: the only place that knows the kinds of calls.
#pragma once

#include <mpi.h>

#include <vector>

#include "comm/call.h"
#include "comm/mpi/call_parts.h"
#include "comm/mpi/large_count.h"
#include "comm/mpi/mpi_types.h"
#include "comm/mpi/scratch_memory.h"

namespace collbench {

/// A communicator as its calls need it.
struct CallContext {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  const MpiTypes* types = nullptr;
  ScratchMemory* scratch = nullptr;
  CallLimits limits{};
  Count always_whole = 0;  // by the limits: so many elements need no closer look
};

/// Whether the buffers lie so that MPI must be told. Of reduce, gather and scatter it wants to know
/// at the root only: the other ranks have one buffer.
bool is_in_place(const Call& call, const CallContext& context);

/// Throws SystemError for a peer or root that the communicator does not have: MPI itself takes some
/// numbers for wildcards.
void check_ranks(const Call& call, const CallContext& context);

/// The counts of an all_to_all_v as MPI wants them.
struct MpiPeerCounts {
  std::vector<MpiCount> send, recv;
  std::vector<MpiDisplacement> send_first, recv_first;
};

/// What MPI reads until a call has ended, beside the call's own buffers.
struct CallMemory {
  MpiPeerCounts counts;
  ScratchMemory::Lease scratch;
};

bool is_collective(const Call& call);

/// Runs the call to its end, whatever its form. Throws SystemError for an impossible one.
void run_blocking(const Call& call, const CallContext& context);

/// Starts the messages of a call that has CallForm::messages, and copies the rank's own block.
void start_messages(const Call& call, const CallContext& context,
                    std::vector<MPI_Request>& requests);

/// Starts the call, whole, which may change it into another one that it needs.
MPI_Request start(Call& call, const CallContext& context, CallMemory& memory);

/// What MPI leaves to do when a call that was started has ended.
void finish(const Call& call, const CallContext& context);

}  // namespace collbench
