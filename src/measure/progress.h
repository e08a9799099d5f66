// SPDX-License-Identifier: Apache-2.0
// Progress: what a rank is doing and since when, written by its thread and read by the watchdog.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

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
    std::string what;           // completes "no progress for 120 s in ..."
    double entered_s = 0;       // by the clock
    double limit_s = 0;         // 0: may last for ever
    std::optional<int> rank{};  // whose step it is, where the process has several ranks
  };

  /// Of a process. The clock must outlive this object.
  explicit Progress(Clock& clock) : clock_(clock) { enter("start", 0); }

  /// Of one rank thread of the process, while this object lives. It begins in the process's step.
  Progress(Progress& process, int rank);

  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The step before is over and this one begins: "all_reduce 1 MiB float block 12". It is late
  /// when it lasts longer than `limit_s`, see step_limit_s; 0 is no limit.
  void enter(const std::string& what, double limit_s);

  /// The step under way; where the process has rank threads, the one of all that is late first.
  Step step() const;

 private:
  Clock& clock_;
  Progress* const process_ = nullptr;  // of a rank thread
  const std::optional<int> rank_{};
  mutable std::mutex mutex_;  // guards what is below
  Step step_;
  std::vector<const Progress*> threads_;
};

}  // namespace collbench
