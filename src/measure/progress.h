// SPDX-License-Identifier: Apache-2.0
// Progress: what a rank is doing and since when, written by its thread and read by the watchdog.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/clock.h"

namespace collbench {

/// The time that one step may take: the user's -T (0 is off), but at least 10 times its estimate.
inline double step_limit_s(double timeout_s, double estimate_s) {
  if (timeout_s <= 0) return 0;
  return timeout_s > 10 * estimate_s ? timeout_s : 10 * estimate_s;
}

/// The estimate, in seconds, of a step whose speed is not known and which moves so many bytes: of
/// slow memory, or of a link of 1 Gbit/s.
inline double slow_move_s(Bytes bytes) {
  constexpr double kSlow_Bps = 100e6;
  return static_cast<double>(bytes) / kSlow_Bps;
}

/// Thread-safe. A rank enters a step at every block, check, file write and phase, not at every
/// operation: entering costs a mutex and a string.
class Progress {
 public:
  struct Step {
    std::string what;      // completes "no progress for 120 s in ..."
    double entered_s = 0;  // by the clock
    double limit_s = 0;    // 0: may last for ever
  };

  /// The clock must outlive this object.
  explicit Progress(Clock& clock) : clock_(clock) { enter("start", 0); }

  /// The step before is over and this one begins: "all_reduce 1 MiB float block 12". It is late
  /// when it lasts longer than `limit_s`, see step_limit_s; 0 is no limit.
  void enter(std::string what, double limit_s) {
    const double now_s = clock_.now_s();
    const std::lock_guard lock(mutex_);
    step_ = {std::move(what), now_s, limit_s};
  }

  Step step() const {
    const std::lock_guard lock(mutex_);
    return step_;
  }

 private:
  Clock& clock_;
  mutable std::mutex mutex_;
  Step step_;
};

}  // namespace collbench
