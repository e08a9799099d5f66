// SPDX-License-Identifier: Apache-2.0
// RankComms: the communicators of one rank, and how the rank waits: no longer than they are well.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "comm/backend.h"
#include "comm/nccl/open_comms.h"
#include "comm/patience.h"

namespace collbench {

/// Used by its rank's thread only.
class RankComms {
 public:
  RankComms(std::shared_ptr<OpenComms> process, WaitPolicy policy)
      : process_(std::move(process)), policy_(policy) {}

  /// A place for a communicator that will be made, which an abort of the process finds.
  std::shared_ptr<OpenComm> open();

  /// True when the rank may destroy the communicator: no abort has it, or will.
  bool close(const std::shared_ptr<OpenComm>& comm);

  /// It is lost: nobody waits for it, but an abort of the process still finds it.
  void abandon(const std::shared_ptr<OpenComm>& comm) { std::erase(comms_, comm); }

  /// The result of call(ncclComm_t) on a communicator that is not being aborted. Throws SystemError
  /// when it is.
  template <class MakeCall>
  auto call(OpenComm& comm, MakeCall make_call) {
    const std::lock_guard lock(comm.calls);
    refuse_if_aborted();
    return make_call(comm.comm);
  }

  /// Waits until done() is true, and looks for errors meanwhile. Throws SystemError when one of the
  /// communicators has failed behind the rank's back, or the process has been aborted.
  template <class Done>
  void wait_until(Done done) {
    using Clock = std::chrono::steady_clock;
    if (!done()) {
      Patience patience(policy_);
      auto look_at = Clock::now() + kLookEvery;
      do {
        if (Clock::now() >= look_at) {
          refuse_if_broken();
          look_at = Clock::now() + kLookEvery;
        }
        patience.pause();
      } while (!done());
    }
    refuse_if_broken();  // what has failed may look done
  }

  /// The result of a call that makes a communicator, and waits for other ranks: made by a thread of
  /// its own for the rank's device, which is in calls of these communicators meanwhile. The rank
  /// waits as for everything else, and throws when it need not go on, so that the call must own
  /// what it uses.
  ncclResult_t call_beside(std::vector<std::shared_ptr<OpenComm>> comms,
                           std::function<ncclResult_t()> make_call);

  /// Whether calls may be made that wait for what is in flight, or for other ranks: not while an
  /// error ends the rank's work, and not after an abort.
  bool may_wait() const { return !process_->aborted() && std::uncaught_exceptions() == 0; }

  void abort() noexcept { process_->abort(); }

 private:
  static constexpr auto kLookEvery = std::chrono::microseconds(300);

  void refuse_if_aborted() const {
    if (process_->aborted()) throw_aborted();
  }
  [[noreturn]] static void throw_aborted();
  void refuse_if_broken();

  std::shared_ptr<OpenComms> process_;
  WaitPolicy policy_;
  std::vector<std::shared_ptr<OpenComm>> comms_;
};

}  // namespace collbench
