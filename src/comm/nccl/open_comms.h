// SPDX-License-Identifier: Apache-2.0
// NCCL's communicators of a process: who may call into them, and how all of them end at once.
#pragma once

#include <nccl.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace collbench {

/// A communicator of NCCL. It stays where it is, since NCCL writes `comm` while a communicator is
/// being made.
///
/// NCCL's communicators block: those that do not have every group put on its stream by a thread
/// made for it, and who measures calls would measure threads. A communicator that blocks must not
/// be aborted while somebody is in a call of it.
struct OpenComm {
  ncclComm_t comm = nullptr;
  std::timed_mutex calls;  // held by whoever calls into it, or makes it
};

/// The communicators of a process. Thread-safe.
class OpenComms {
 public:
  std::shared_ptr<OpenComm> add();

  /// True when the caller may destroy it: no abort has it, or will.
  bool remove(const std::shared_ptr<OpenComm>& comm);

  /// Once this is true no call into any communicator may be begun; whoever holds `calls` looks here
  /// first.
  bool aborted() const noexcept { return aborted_.load(std::memory_order_acquire); }

  /// Aborts all of them in one group, since the abort of one may wait for that of another; but not
  /// those that a thread does not come back from. Returns when that is done, or after 5 s: an abort
  /// may wait for ranks of other processes. The first call counts. What a process does with its
  /// devices afterwards may hang.
  void abort() noexcept;

 private:
  std::atomic<bool> aborted_{false};
  std::mutex mutex_;
  std::vector<std::shared_ptr<OpenComm>> comms_;
};

}  // namespace collbench
