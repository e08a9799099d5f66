// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/placement.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "comm/nccl/library_versions.h"

namespace collbench {
namespace {

std::string no_gpu(const std::vector<GpuSeat>& seats) {
  for (std::size_t rank = 0; rank < seats.size(); ++rank) {
    const GpuSeat& seat = seats[rank];
    if (seat.failure.empty()) continue;
    return fmt::format("rank {} on {} cannot use its GPU: {}; mend that, or leave the host out",
                       rank, seat.host, seat.failure);
  }
  return "";
}

std::string two_versions(const std::vector<GpuSeat>& seats) {
  for (std::size_t rank = 1; rank < seats.size(); ++rank) {
    if (seats[rank].nccl_version == seats[0].nccl_version) continue;
    return fmt::format(
        "rank 0 on {} has NCCL {} and rank {} on {} has NCCL {}: ranks of different versions do "
        "not "
        "work together; install one on all hosts, or name it with --nccl-lib",
        seats[0].host, nccl_version_text(seats[0].nccl_version), rank, seats[rank].host,
        nccl_version_text(seats[rank].nccl_version));
  }
  return "";
}

int ranks_on(const std::string& machine, const std::vector<GpuSeat>& seats) {
  int ranks = 0;
  for (const GpuSeat& seat : seats) ranks += seat.machine == machine ? 1 : 0;
  return ranks;
}

std::string one_gpu_twice(const std::vector<GpuSeat>& seats) {
  std::map<std::pair<std::string, std::string>, std::size_t> taken;
  for (std::size_t rank = 0; rank < seats.size(); ++rank) {
    const GpuSeat& seat = seats[rank];
    const auto [other, is_first] = taken.try_emplace({seat.machine, seat.bus_id}, rank);
    if (is_first) continue;
    return fmt::format(
        "ranks {} and {} on {} would share the GPU {}, and NCCL needs one for each: there are {} "
        "ranks on this host, and a process sees {} GPU{}; start fewer ranks, have each process see "
        "GPUs of its own, or use --backend mpi",
        other->second, rank, seat.host, seat.bus_id, ranks_on(seat.machine, seats), seat.visible,
        seat.visible == 1 ? "" : "s");
  }
  return "";
}

}  // namespace

int device_of_rank(int local_rank, int local_size, int visible) {
  return visible >= local_size ? local_rank : local_rank % visible;
}

std::string seating_fault(const std::vector<GpuSeat>& seats) {
  for (const auto& find : {no_gpu, two_versions, one_gpu_twice}) {
    if (std::string fault = find(seats); !fault.empty()) return fault;
  }
  return "";
}

}  // namespace collbench
