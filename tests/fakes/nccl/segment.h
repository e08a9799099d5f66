// SPDX-License-Identifier: Apache-2.0
// The memory that the ranks of one communicator share: processes and threads alike.
//
// It is a memfd, not a name in /dev/shm: whoever has the unique id opens it as /proc/PID/fd/FD of
// the process that made the id, which must live until all have joined (as with real NCCL). So
// nothing can remain after any run, whichever way its processes end, and "hosts" that are mount
// namespaces share it.
#pragma once

#include <nccl.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kinds.h"

namespace fakenccl {

inline constexpr std::size_t kSlotBytes = 256 * 1024;
inline constexpr std::size_t kChannelBytes = 64 * 1024;
inline constexpr int kMostRanks = 1024;

/// What wakes a rank: a counter to sleep on, and whether anybody does.
struct Doorbell {
  std::atomic<std::uint32_t> rings;
  std::atomic<std::uint32_t> sleepers;
};

/// A process, safe against the reuse of its number.
struct Process {
  pid_t pid;
  std::uint64_t start_ticks;
};

/// What a rank says about the collective that it is in.
struct Descriptor {
  Kind kind;
  ncclDataType_t type;
  int op;  // of ncclRedOp_t; all created ones are ncclNumOps
  int root;
  std::uint64_t count;
  bool operator==(const Descriptor&) const = default;
};

/// One rank's page. Only its own rank writes it, but for the doorbell.
struct alignas(64) Member {
  Doorbell bell;
  std::atomic<std::uint32_t> claimed;  // 1: a rank has taken this place
  std::atomic<std::uint32_t> joined;   // 1: what follows is written
  std::atomic<std::uint32_t> left;     // 1: destroyed or aborted: its process may end
  Process process;
  int device;
  int origin_rank;
  char bus_id[20];
  char host[236];
  Descriptor descriptor;
  double start_s;  // of the operation, on the stream's clock
  // Splits and shrinks: how many steps of each this rank has done, and what it said in the last.
  std::atomic<std::uint32_t> split_steps;
  std::atomic<std::uint32_t> shrink_steps;
  int color;
  int key;
  ncclUniqueId child;
};

/// Bytes from one rank to another: a ring in which each message is a frame and its bytes.
struct alignas(64) Channel {
  std::atomic<std::uint64_t> written;  // bytes of all messages, frames included
  std::atomic<std::uint64_t> read;
  std::atomic<std::uint64_t> announced;  // sends begun, of all times
  std::atomic<std::uint64_t> posted;     // receives begun
  double posted_s[2];  // when: a receiver is at most one message ahead of its sender
  std::uint64_t posted_bytes[2];
  std::byte ring[kChannelBytes];
};

struct alignas(64) Header {
  std::uint64_t nonce;  // written when the id is made: tells its file from a later one
  std::atomic<std::uint32_t> ranks;
  std::atomic<std::uint32_t> joined;
  std::atomic<std::uint32_t> barrier_arrived;
  std::atomic<std::uint32_t> barrier_generation;
  std::atomic<std::int32_t> error;  // ncclResult_t for all ranks: a mismatch between them
};

/// Makes a segment and its id, kept open until forget_id.
ncclResult_t make_id(ncclUniqueId& id);
/// All have joined: if this process made the id, it need not be found any longer.
void forget_id(const ncclUniqueId& id);

class Segment {
 public:
  Segment() = default;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  /// Maps the segment of an id for `ranks` ranks. ncclInvalidArgument: no id, or another number of
  /// ranks than its peers say; ncclSystemError: the process that made it is gone.
  ncclResult_t open(const ncclUniqueId& id, int ranks);
  bool is_open() const { return open_.load(); }

  Header& header() const { return *reinterpret_cast<Header*>(base_); }
  Member& member(int rank) const;
  std::byte* slot(int rank) const;
  Channel& channel(int from, int to) const;

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  int ranks_ = 0;
  std::atomic<bool> open_{false};
};

}  // namespace fakenccl
