// SPDX-License-Identifier: Apache-2.0
// BlockTimer: one block of operations between two readings of the host's clock.
#pragma once

#include <cstdint>
#include <memory>

#include "measure/data_check.h"
#include "measure/method.h"
#include "measure/prepared_calls.h"

namespace collbench {

/// A block as one rank has seen it, seconds.
struct TimedBlock {
  double operation_s;  // the block's time over its operations
  double start_s;      // by the rank's clock
  double enqueue_s;    // the time until all was enqueued, over its operations
  double device_s;     // by the device's own events, over its operations; 0 where it has none
};

/// Of one row on one rank.
class BlockTimer {
 public:
  /// The workbench and the method outlive this object.
  BlockTimer(const Workbench& bench, const Method& method);

  /// Brings the ranks together, as the method says. Collective over the run.
  void align();

  /// Aligns, then times so many iterations, each of as many operations as the method fuses. Beside
  /// a background it does so again until this has run all the time.
  TimedBlock time(PreparedCalls& calls, std::uint64_t iterations);

 private:
  TimedBlock time_once(PreparedCalls& calls, std::uint64_t iterations);

  const Workbench& bench_;
  const Method& method_;
  std::unique_ptr<Event> begin_, end_;  // where the device stamps events
};

}  // namespace collbench
