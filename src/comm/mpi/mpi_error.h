// SPDX-License-Identifier: Apache-2.0
// COLLBENCH_MPI_CHECK: a call into MPI whose failure becomes a SystemError.
#pragma once

#include <mpi.h>

namespace collbench {

/// Where a call stands in the source.
struct MpiCallSite {
  const char* call;
  const char* file;
  int line;
};

/// Throws SystemError: the call, the error's class and text, and where. Rank and host are added
/// where it is caught.
[[noreturn]] void throw_mpi_error(int code, const MpiCallSite& site);

}  // namespace collbench

/// Needs MPI_ERRORS_RETURN on the communicator of the call; MPI ends the run itself otherwise.
#define COLLBENCH_MPI_CHECK(...)                                                            \
  do {                                                                                      \
    const int collbench_mpi_code = (__VA_ARGS__);                                           \
    if (collbench_mpi_code != MPI_SUCCESS) {                                                \
      ::collbench::throw_mpi_error(collbench_mpi_code, {#__VA_ARGS__, __FILE__, __LINE__}); \
    }                                                                                       \
  } while (false)
