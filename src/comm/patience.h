// SPDX-License-Identifier: Apache-2.0
// Patience: what a thread does between two tests of something that is not done yet.
#pragma once

#include <chrono>

#include "comm/backend.h"

namespace collbench {

/// One wait. Make one, or reset() it, when a wait starts; pause() after each test that fails.
///
///   spin       does nothing: for waiters that own their core
///   yield      offers the core to others each time
///   sleep      sleeps 50 us each time: the core is free for long waits, answers come late
///   automatic  yields for 2 ms, so that ranks which arrive together leave together, then sleeps
///              50 us and, from the tenth millisecond, 200 us: no burden on ranks that work
class Patience {
 public:
  explicit Patience(WaitPolicy policy) : policy_(policy) {}

  void pause();
  void reset() { paused_ = false; }

 private:
  void pause_ever_longer();

  WaitPolicy policy_;
  bool paused_ = false;  // in this wait; the clock is read only when a wait is not over at once
  std::chrono::steady_clock::time_point start_{};
};

}  // namespace collbench
