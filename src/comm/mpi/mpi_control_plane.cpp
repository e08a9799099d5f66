// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/mpi_control_plane.h"

#include "comm/mpi/large_count.h"
#include "comm/mpi/mpi_error.h"
#include "comm/patience.h"

namespace collbench {
namespace {

// Blocking calls of MPI poll without a pause: with more ranks than cores, waiting ranks would keep
// the one that is waited for from running.
void wait_for(MPI_Request& request) {
  Patience patience(WaitPolicy::automatic);
  int done = 0;
  for (;;) {
    COLLBENCH_MPI_CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    patience.pause();
  }
}

}  // namespace

MpiControlPlane::MpiControlPlane(MPI_Comm parent) {
  MPI_Request request = MPI_REQUEST_NULL;
  COLLBENCH_MPI_CHECK(MPI_Comm_idup(parent, &comm_, &request));
  wait_for(request);
  COLLBENCH_MPI_CHECK(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  COLLBENCH_MPI_CHECK(MPI_Comm_rank(comm_, &rank_));
  COLLBENCH_MPI_CHECK(MPI_Comm_size(comm_, &size_));
}

void MpiControlPlane::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  COLLBENCH_MPI_CHECK(MPI_Ibarrier(comm_, &request));
  wait_for(request);
}

void MpiControlPlane::all_gather_bytes(const void* mine, Bytes each, void* all) {
  if (each == 0) return;  // on every rank
  const MpiCount count = mpi_count(each);
  MPI_Request request = MPI_REQUEST_NULL;
  COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Iallgather)(mine, count, MPI_BYTE, all, count, MPI_BYTE,
                                                      comm_, &request));
  wait_for(request);
}

void MpiControlPlane::broadcast_bytes(void* data, Bytes bytes) {
  if (bytes == 0) return;  // on every rank
  MPI_Request request = MPI_REQUEST_NULL;
  COLLBENCH_MPI_CHECK(
      COLLBENCH_MPI_C(MPI_Ibcast)(data, mpi_count(bytes), MPI_BYTE, 0, comm_, &request));
  wait_for(request);
}

}  // namespace collbench
