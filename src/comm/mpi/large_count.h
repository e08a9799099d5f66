// SPDX-License-Identifier: Apache-2.0
// Counts of elements in MPI calls: 64 bits with MPI 4, checked 32 bits before it.
//
//   COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Ibcast)(data, mpi_count(count), type, 0, comm,
//   &request));
#pragma once

#include <mpi.h>

#include <limits>

#include "base/bytes.h"
#include "comm/mpi/call_parts.h"

#if MPI_VERSION >= 4 && !defined(COLLBENCH_FORCE_MPI3)
#define COLLBENCH_MPI_LARGE_COUNT 1
#define COLLBENCH_MPI_C(function) function##_c
#else
#define COLLBENCH_MPI_LARGE_COUNT 0
#define COLLBENCH_MPI_C(function) function
#endif

namespace collbench {

#if COLLBENCH_MPI_LARGE_COUNT
using MpiCount = MPI_Count;
using MpiDisplacement = MPI_Aint;  // of the calls with one count per rank
#else
using MpiCount = int;
using MpiDisplacement = int;
#endif

inline constexpr auto kLargestMpiCount = static_cast<Count>(std::numeric_limits<MpiCount>::max());

/// What one call of this MPI library can do.
CallLimits library_limits();

/// Throws SystemError: this MPI cannot say this count.
[[noreturn]] void refuse_count(Count count);

/// The count as COLLBENCH_MPI_C functions take it. Throws SystemError when this MPI cannot say it.
inline MpiCount mpi_count(Count count) {  // inline: it is on the way of the shortest messages
  if (count > kLargestMpiCount) refuse_count(count);
  return static_cast<MpiCount>(count);
}

}  // namespace collbench
