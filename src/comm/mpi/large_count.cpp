// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/large_count.h"

#include <fmt/format.h>

#include "base/errors.h"

namespace collbench {

void refuse_count(Count count) {
  throw UserError(fmt::format(
      "{} elements in one call are more than the {} that this MPI library (standard {}.{}) can "
      "count; use smaller messages or build with a library of MPI 4.0 or newer",
      count, kLargestMpiCount, MPI_VERSION, MPI_SUBVERSION));
}

}  // namespace collbench
