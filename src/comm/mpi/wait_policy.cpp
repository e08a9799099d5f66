// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/wait_policy.h"

#include <mpi.h>

#include <vector>

#include "comm/mpi/host_limits.h"
#include "comm/mpi/mpi_error.h"

namespace collbench {
namespace {

struct CoresOfRank {
  CoreMask allowed;
  double granted;
};

bool enough_cores(const std::vector<CoresOfRank>& ranks_of_host) {
  std::vector<CoreMask> masks;
  for (const CoresOfRank& rank : ranks_of_host) {
    if (rank.granted < static_cast<double>(ranks_of_host.size())) return false;
    masks.push_back(rank.allowed);
  }
  return each_has_a_core(masks);
}

std::vector<CoresOfRank> gather_on_host(const CoresOfRank& mine) {
  MPI_Comm host = MPI_COMM_NULL;
  COLLBENCH_MPI_CHECK(
      MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  int size = 0;
  COLLBENCH_MPI_CHECK(MPI_Comm_size(host, &size));
  std::vector<CoresOfRank> ranks(static_cast<std::size_t>(size));
  COLLBENCH_MPI_CHECK(
      MPI_Allgather(&mine, sizeof mine, MPI_BYTE, ranks.data(), sizeof mine, MPI_BYTE, host));
  COLLBENCH_MPI_CHECK(MPI_Comm_free(&host));
  return ranks;
}

}  // namespace

WaitPolicy agree_on_wait_policy(WaitPolicy asked, ControlPlane& control) {
  if (asked != WaitPolicy::automatic) return asked;
  const bool enough = enough_cores(gather_on_host({allowed_cores(), granted_cores()}));
  const int crowded = enough ? 0 : 1;
  return control.max(crowded) == 1 ? WaitPolicy::yield : WaitPolicy::spin;
}

}  // namespace collbench
