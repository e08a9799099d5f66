// SPDX-License-Identifier: Apache-2.0
#include "comm/launch.h"

#include <fmt/format.h>
#include <mpi.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/errors.h"
#include "comm/mpi/library_name.h"
#include "comm/mpi/mpi_control_plane.h"
#include "comm/mpi/mpi_error.h"

namespace collbench {
namespace {

// MPI's state is one per process, and so is this: whether MPI_Abort may be called. MPI_Finalized
// does not tell, since MPI_Abort fails already while MPI_Finalize runs (MPICH 4.0.2 then ends the
// run with a status of its own).
enum class MpiState : std::uint8_t { down, up, aborting };
std::atomic<MpiState> mpi_state{MpiState::down};

void start_mpi() {
  int level = MPI_THREAD_SINGLE;
  COLLBENCH_MPI_CHECK(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level));
  mpi_state = MpiState::up;
  COLLBENCH_MPI_CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  COLLBENCH_MPI_CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  if (level < MPI_THREAD_SERIALIZED) {
    throw SystemError(
        "MPI_Init_thread grants less than MPI_THREAD_SERIALIZED, so threads may not take turns "
        "in calling MPI; use an MPI library that is built with threads");
  }
}

std::string library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  COLLBENCH_MPI_CHECK(MPI_Get_library_version(text.data(), &length));
  return library_name(std::string_view(text.data(), static_cast<std::size_t>(length)));
}

// With MPICH 4.0 over UCX and TCP, ranks of several hosts that enter MPI_Finalize together hang
// there in 5 to 40 % of runs. Ranks that enter it at least 10 ms apart, rank 0 last, did not in any
// of 175 runs. With so many ranks that this would take long, they enter closer together.
std::chrono::microseconds turn_to_leave(int rank, int size) {
  constexpr std::chrono::microseconds kApart = std::chrono::milliseconds(15);
  constexpr std::chrono::microseconds kAtMost = std::chrono::seconds(3);
  return std::min(kApart, kAtMost / size) * (size - rank);
}

// What MPI_Abort tells hydra, for when MPI_Abort may not be called: a rank that merely exits makes
// hydra kill the others, and then mpirun returns this status or that of the kill, by chance. The
// rank's end of hydra's wire protocol is a local socket whose number is in PMI_FD; MPI_Finalize
// closes it, and the number may then be anything.
void abort_through_hydra(int status) noexcept {
  const char* number = std::getenv("PMI_FD");
  if (number == nullptr) return;
  const int fd = std::atoi(number);
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return;
  if (address.ss_family != AF_UNIX) return;
  std::array<char, 64> command{};
  const int bytes =
      std::snprintf(command.data(), command.size(), "cmd=abort exitcode=%d\n", status);
  if (send(fd, command.data(), static_cast<std::size_t>(bytes), MSG_NOSIGNAL) < bytes) return;
  std::this_thread::sleep_for(std::chrono::seconds(2));  // for hydra, which kills this process
}

}  // namespace

MpiSession::MpiSession() {
  start_mpi();
  control_ = std::make_unique<MpiControlPlane>(MPI_COMM_WORLD);
  farewell_ = std::make_unique<MpiControlPlane>(MPI_COMM_WORLD);
  MPI_Comm host = MPI_COMM_NULL;
  COLLBENCH_MPI_CHECK(
      MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &host));
  COLLBENCH_MPI_CHECK(MPI_Comm_rank(host, &local_rank_));
  COLLBENCH_MPI_CHECK(MPI_Comm_size(host, &local_size_));
  COLLBENCH_MPI_CHECK(MPI_Comm_free(&host));
  mpi_library_ = library();
}

void MpiSession::finalize() {
  farewell_->barrier();
  if (local_size_ < size()) std::this_thread::sleep_for(turn_to_leave(rank(), size()));
  mpi_state = MpiState::down;
  COLLBENCH_MPI_CHECK(MPI_Finalize());
}

void MpiSession::abort(int status) noexcept {
  MpiState before = MpiState::up;
  if (mpi_state.compare_exchange_strong(before, MpiState::aborting)) {
    MPI_Abort(MPI_COMM_WORLD, status);
  } else if (before == MpiState::aborting) {
    // Another thread's MPI_Abort is about to end the process; it should not lose its status.
    std::this_thread::sleep_for(std::chrono::seconds(2));
  } else {
    abort_through_hydra(status);
  }
  _exit(status);
}

}  // namespace collbench
