// SPDX-License-Identifier: Apache-2.0
// ReduceOp::mulsum: MPI cannot scale what it adds up, so each rank scales its data first.
//
// That is part of what the operation costs, and so of its time.
#pragma once

#include "comm/mpi/mpi_calls.h"
#include "comm/mpi/scratch_memory.h"

namespace collbench {

inline bool is_scaled_sum(const Call& call) { return call.op == ReduceOp::mulsum; }

/// Multiplies the rank's data with its scalar and returns the plain sum that remains to be done.
///
/// The scaled data lies in the receive buffer where that is as large, or takes the place of the
/// data where the operation works in place; else in scratch memory, which the caller keeps until
/// the sum has ended.
Call scale_for_sum(const Call& call, const CallContext& context, ScratchMemory::Lease& scratch);

}  // namespace collbench
