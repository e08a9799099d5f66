// SPDX-License-Identifier: Apache-2.0
// Clocks: the monotonic host clock, and one that tests set by hand.
#pragma once

#include <chrono>
#include <string>

namespace collbench {

/// A monotonic clock in seconds from an arbitrary start. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double now_s() = 0;
};

/// The host's steady clock.
class SteadyClock final : public Clock {
 public:
  double now_s() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

/// A clock that stands still until it is told to move.
class ManualClock final : public Clock {
 public:
  double now_s() override { return now_s_; }
  void advance(double seconds) { now_s_ += seconds; }

 private:
  double now_s_ = 0;
};

/// The time of day in UTC as RFC 3339 writes it: "2026-03-01T12:00:00Z".
std::string utc_now_rfc3339();

/// "2026-03-01 13:00:00": the same in the zone of this host, as nccl-tests prints times. A text of
/// another form is returned as it is.
std::string local_time(const std::string& rfc3339);

}  // namespace collbench
