// SPDX-License-Identifier: Apache-2.0
// One rank of a communicator: its share of the segment, its state, and the order of its work.
#pragma once

#include <nccl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "segment.h"

namespace fakenccl {

struct Fault;

/// A reduction as an operation needs it; a created one (PreMulSum) is copied, as it may be
/// destroyed.
struct Reduction {
  int op = ncclSum;  // of ncclRedOp_t; ncclNumOps: the sum of inputs multiplied by the scalar
  ncclDataType_t type = ncclNumTypes;
  std::uint64_t scalar = 0;             // its bytes, of that type, when read at the creation
  const void* device_scalar = nullptr;  // else where it is
};

/// Work of one communicator runs one at a time, in the order of its issue, whichever streams it is
/// on.
class Turns {
 public:
  std::uint64_t take();
  /// The work of the last turn was refused: there is no such turn.
  void give_back();
  /// Waits for the turn, or (no number: replayed from a graph) until nothing runs. Ends early
  /// (false) when `broken`, asked again every 15 ms.
  template <class Broken>
  bool begin(std::optional<std::uint64_t> turn, Broken broken);
  /// After begin, with the same turn and what begin returned.
  void end(std::optional<std::uint64_t> turn, bool begun);
  bool all_done();
  bool running();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t taken_ = 0;
  std::uint64_t done_ = 0;
  bool running_ = false;
};

class Communicator {
 public:
  Communicator(int device, bool blocking) : device_(device), blocking_(blocking) {}

  /// Meets all other ranks of the id. Sets the state to the result, too. `origin_rank`: the rank
  /// that faults are meant for, as splits renumber.
  ncclResult_t join(const ncclUniqueId& id, int rank, int ranks, int origin_rank,
                    const Fault& fault);

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  int device() const { return device_; }
  int origin_rank() const { return origin_rank_; }
  bool blocking() const { return blocking_; }

  Header& header() const { return segment_.header(); }
  Member& member(int rank) const { return segment_.member(rank); }
  Member& me() const { return segment_.member(rank_); }
  std::byte* slot(int rank) const { return segment_.slot(rank); }
  Channel& channel(int from, int to) const { return segment_.channel(from, to); }
  Turns& turns() { return turns_; }

  /// What ncclCommGetAsyncError says.
  ncclResult_t state() const;
  void set_state(ncclResult_t state) { state_ = state; }
  /// Whether nothing more can be done: aborted, or an asynchronous error here or for all.
  bool broken() const;
  /// An asynchronous error of this rank; the first one stays.
  void fail(ncclResult_t code);
  /// An asynchronous error of all ranks. The first to see one says why, on stderr.
  void fail_all(ncclResult_t code, const std::string& why);
  /// Ends work that has been issued, and returns when none of it is running. What is issued later
  /// is skipped, too.
  void end_work();
  void wait_for_end_of_work() const;
  /// As end_work, and ends what the host waits for.
  void abort();
  /// Waits for all work issued so far, unless broken.
  void drain();
  bool aborted() const { return aborted_.load(); }
  /// This rank is done with its peers: its process may end without being missed.
  void leave();

  bool finalized = false;
  bool revoked = false;
  std::atomic<int> launches{0};  // groups that a thread of theirs is about to enqueue
  std::atomic<int> jobs{0};      // splits and finalizations
  std::mutex issue;  // held while work is enqueued, so that turns and streams have one order
  std::vector<std::optional<Reduction>> created_ops;  // under `issue`
  int number_in_log = -1;                             // of the log, once it is there

 private:
  ncclResult_t meet(const ncclUniqueId& id, const Fault& fault);
  /// Why a wait for the others has ended early.
  ncclResult_t ended() const;
  void introduce();
  ncclResult_t check_gpus() const;

  int rank_ = 0;
  int ranks_ = 0;
  int origin_rank_ = 0;
  const int device_;
  const bool blocking_;
  Segment segment_;
  Turns turns_;
  std::atomic<ncclResult_t> state_{ncclInProgress};
  std::atomic<bool> work_ended_{false};
  std::atomic<bool> aborted_{false};
};

template <class Broken>
bool Turns::begin(std::optional<std::uint64_t> turn, Broken broken) {
  std::unique_lock lock(mutex_);
  const auto mine = [&] { return !running_ && (!turn || *turn == done_); };
  while (!broken()) {
    if (mine()) return running_ = true;
    changed_.wait_for(lock, std::chrono::milliseconds(15));
  }
  return false;
}

/// While it lives, its communicator is in progress with a job.
class InProgress {
 public:
  explicit InProgress(std::shared_ptr<Communicator> comm) : comm_(std::move(comm)) {
    ++comm_->jobs;
  }
  ~InProgress() { --comm_->jobs; }
  InProgress(const InProgress&) = delete;
  InProgress& operator=(const InProgress&) = delete;

 private:
  std::shared_ptr<Communicator> comm_;
};

}  // namespace fakenccl
