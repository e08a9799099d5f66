// SPDX-License-Identifier: Apache-2.0
// Which rank takes which GPU, and what is wrong with where the ranks of a run sit.
#pragma once

#include <string>
#include <vector>

namespace collbench {

/// The device, among the `visible` ones of its process, of a rank that is the local_rank-th of the
/// local_size ranks of its host: as many ranks as devices go in order. Where a process sees fewer,
/// the launcher has given each process its own, and ranks of a process take them in turn.
int device_of_rank(int local_rank, int local_size, int visible);

/// Where a rank sits, and with which library.
struct GpuSeat {
  std::string machine;  // the same on one kernel, whatever its containers call themselves, unless
                        // NCCL_HOSTID is set
  std::string host;     // for people
  std::string bus_id;   // PCI address of its GPU
  std::string failure;  // why the rank has none, as a clause; then there is no bus_id
  int visible = 0;      // devices that the rank's process sees
  int nccl_version = 0;
};

/// What keeps ranks that sit so from running together, as one sentence: what, why, what to do;
/// empty when nothing does. `seats` go by rank; the result is the same on every rank.
std::string seating_fault(const std::vector<GpuSeat>& seats);

}  // namespace collbench
