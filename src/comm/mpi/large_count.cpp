// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/large_count.h"

#include <fmt/format.h>

#include <limits>

#include "base/errors.h"

namespace collbench {

CallLimits library_limits() {
  // MPICH before 4.1 adds up many counts in int, whatever the type of its arguments, and so may any
  // library from before MPI 4. Later releases of MPICH still do so in two nonblocking collectives.
#ifdef MPICH_NUMVERSION
  constexpr bool kIsMpich = true;
  constexpr bool kIsOldMpich = MPICH_NUMVERSION < 40100300;
#else
  constexpr bool kIsMpich = false;
  constexpr bool kIsOldMpich = false;
#endif
  constexpr bool kAddsInInt = kIsOldMpich || !COLLBENCH_MPI_LARGE_COUNT;
  constexpr Count kInt = std::numeric_limits<int>::max();
  constexpr Count kAny = std::numeric_limits<Count>::max();
  return {
      .count = kLargestMpiCount,
      .sum = kAddsInInt ? kInt : kAny,
      .nonblocking_sum = kAddsInInt || kIsMpich ? kInt : kAny,
      // So large that a call's own cost does not show, but small beside the message: a reduction
      // takes as much memory again.
      .piece_bytes = 64ULL << 20,
  };
}

void refuse_count(Count count) {
  throw SystemError(fmt::format(
      "{} elements in one call are more than the {} that this MPI library (standard {}.{}) can "
      "count; use smaller messages or build with a library of MPI 4.0 or newer",
      count, kLargestMpiCount, MPI_VERSION, MPI_SUBVERSION));
}

}  // namespace collbench
