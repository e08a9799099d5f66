// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/large_count.h"

#include <fmt/format.h>

#include <limits>

#include "base/errors.h"

namespace collbench {

MpiCount mpi_count(Count count) {
  constexpr auto kLargest = static_cast<Count>(std::numeric_limits<MpiCount>::max());
  if (count > kLargest) {
    throw UserError(fmt::format(
        "{} elements in one call are more than the {} that this MPI library (standard {}.{}) can "
        "count; use smaller messages or build with a library of MPI 4.0 or newer",
        count, kLargest, MPI_VERSION, MPI_SUBVERSION));
  }
  return static_cast<MpiCount>(count);
}

}  // namespace collbench
