// SPDX-License-Identifier: Apache-2.0
// Background: operations that run without pause, each block of them longer than what is timed
// beside it.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "comm/communicator.h"
#include "comm/control_plane.h"
#include "measure/prepared_calls.h"

namespace collbench {

/// No number of operations that a stream holds outlasts what is timed beside them.
class TooShort : public std::runtime_error {
 public:
  TooShort() : std::runtime_error("a load ends before what is timed beside it") {}
};

/// Of one rank, on a communicator and a stream that nothing else uses meanwhile. All ranks of the
/// run have one, also those that take no part since they have no calls or nobody to exchange data
/// with: all agree on how much there is to do.
class Background {
 public:
  /// What is referred to outlives this object.
  Background(ControlPlane& control, Communicator& comm, Stream& stream, const Operation& operation,
             const Setting& setting, const Placement& placement);

  /// Enqueues as many operations as the last block has needed, and does not wait for them.
  void start();

  /// Whether they still ran on every rank when this was called, after which they are done. Where
  /// they did not, the next block has twice as many. Collective. Throws TooShort, on every rank,
  /// where as many as a stream holds do not last.
  bool outlasted();

 private:
  ControlPlane& control_;
  Communicator& comm_;
  Stream& stream_;
  PreparedCalls calls_;
  bool takes_part_;
  std::uint64_t operations_ = 1;
};

}  // namespace collbench
