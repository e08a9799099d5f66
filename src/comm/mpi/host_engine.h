// SPDX-License-Identifier: Apache-2.0
// HostEngine: makes all streams of a rank progress, since a host has nobody else who would.
//
// Work goes on only while the rank's thread is in a call of the engine: when something is enqueued,
// in query and synchronize of streams and events, and between two slices of compute. Whoever waits
// for other ranks by other means (a barrier of the control plane) drains his streams before it. In
// the modes for one stream enqueueing itself waits for the ranks that take part.
#pragma once

#include <vector>

#include "base/clock.h"
#include "comm/backend.h"
#include "comm/mpi/host_work.h"
#include "comm/mpi/scratch_memory.h"
#include "comm/patience.h"

namespace collbench {

class HostStream;

/// How work runs. The same on every rank, because blocking and nonblocking collectives of MPI do
/// not match each other.
enum class HostMode : std::uint8_t {
  blocking,  // at once when enqueued, by blocking calls, which poll: one stream, a core per rank
  direct,    // at once when enqueued, by nonblocking calls and Patience: one stream
  queued,    // later and bit by bit, by nonblocking calls: any number of streams
};

/// Blocking calls need a core per rank, which the policy `spin` says there is.
HostMode host_mode(bool one_stream, WaitPolicy policy);

/// Used by its rank's thread only.
class HostEngine {
 public:
  HostEngine(HostMode mode, WaitPolicy policy) : mode_(mode), policy_(policy) {}

  HostMode mode() const { return mode_; }
  Clock& clock() { return clock_; }
  ScratchMemory& scratch() { return scratch_; }

  /// A stream is known from its start to its end. Throws std::logic_error when a second one comes
  /// though the mode is for one.
  void add(HostStream& stream);
  void remove(HostStream& stream) noexcept;

  /// Gives each stream one turn, for at most a slice of compute; true when any could do something.
  bool progress();

  /// A turn for each stream; when nothing could be done, others get the core for a moment.
  void progress_politely();

  /// Lets all streams progress until `done()`.
  template <class Done>
  void wait_until(Done done) {
    Patience patience(policy_);
    while (!done()) {
      if (!progress()) patience.pause();
    }
  }

  /// Does the work to its end, alone.
  void run(Work& work);

 private:
  HostMode mode_;
  WaitPolicy policy_;
  SteadyClock clock_;
  ScratchMemory scratch_;
  std::vector<HostStream*> streams_;
};

}  // namespace collbench
