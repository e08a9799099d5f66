// SPDX-License-Identifier: Apache-2.0
#include "waiting.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "errors.h"
#include "settings.h"

namespace fakenccl {
namespace {

constexpr int kSpins = 64;
constexpr timespec kPoll{0, 15'000'000};  // how soon a death or an abort is seen without a bell

// The doorbell lies in memory that processes share: no private futexes.
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

/// The state letter and the start time in /proc/PID/stat. False: no such process.
bool read_stat(pid_t pid, char& state, std::uint64_t& start_ticks) {
  char path[32];
  char text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  if (length <= 0) return false;
  text[length] = '\0';
  // The name, in parentheses, may hold anything; state is field 3 and start time field 22.
  const char* field = std::strrchr(text, ')');
  if (!field) return false;
  unsigned long long ticks = 0;
  const int found = std::sscanf(field + 1,
                                " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                                "%*s %*s %*s %llu",
                                &state, &ticks);
  start_ticks = ticks;
  return found == 2;
}

void report_deaths(Communicator& comm) {
  if (settings().silent_death) return;
  const pid_t own = getpid();
  for (int rank = 0; rank < comm.ranks(); ++rank) {
    const Member& member = comm.member(rank);
    if (!member.joined.load() || member.left.load() || member.process.pid == own) continue;
    if (lives(member.process)) continue;
    error(ncclRemoteError, "rank " + std::to_string(rank) + " has died");
    comm.fail(ncclRemoteError);
    return;
  }
}

}  // namespace

void ring(Doorbell& bell) {
  bell.rings.fetch_add(1);
  if (bell.sleepers.load() > 0) futex(bell.rings, FUTEX_WAKE, INT_MAX, nullptr);
}

void ring_others(const Communicator& comm) {
  for (int rank = 0; rank < comm.ranks(); ++rank) {
    if (rank != comm.rank()) ring(comm.member(rank).bell);
  }
}

bool sleep(Communicator& comm, std::uint32_t seen) {
  Doorbell& bell = comm.me().bell;
  for (int i = 0; i < kSpins; ++i) {
    if (bell.rings.load() != seen) return !comm.broken();
    __builtin_ia32_pause();
  }
  if (comm.broken()) return false;
  bell.sleepers.fetch_add(1);
  const long woken = futex(bell.rings, FUTEX_WAIT, seen, &kPoll);
  bell.sleepers.fetch_sub(1);
  if (woken != 0 && errno == ETIMEDOUT) report_deaths(comm);
  return !comm.broken();
}

bool barrier(Communicator& comm) {
  Header& header = comm.header();
  const std::uint32_t generation = header.barrier_generation.load();
  const auto all = static_cast<std::uint32_t>(comm.ranks());
  if (header.barrier_arrived.fetch_add(1) + 1 < all) {
    return wait_until(comm, [&] { return header.barrier_generation.load() != generation; });
  }
  header.barrier_arrived.store(0);
  header.barrier_generation.fetch_add(1);
  ring_others(comm);
  return !comm.broken();
}

Process this_process() {
  Process process{getpid(), 0};
  char state;
  read_stat(process.pid, state, process.start_ticks);
  return process;
}

bool lives(const Process& process) {
  char state = 'X';
  std::uint64_t start_ticks = 0;
  if (!read_stat(process.pid, state, start_ticks)) return false;
  return state != 'Z' && state != 'X' && start_ticks == process.start_ticks;
}

}  // namespace fakenccl
