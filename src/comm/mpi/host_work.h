// SPDX-License-Identifier: Apache-2.0
// Work: one item of a host stream, done bit by bit; and the kinds that need no communication.
#pragma once

#include <functional>
#include <memory>

#include "base/bytes.h"
#include "base/clock.h"

namespace collbench {

/// What one step of a Work came to.
enum class Step : std::uint8_t {
  done,     // the item is over; the stream's next one may go on at once
  worked,   // it used the core for a slice of time: now it is the other streams' turn
  waiting,  // it waits for something else
};

class Work {
 public:
  virtual ~Work() = default;

  /// Does at most one slice; called until done. Throws SystemError.
  virtual Step advance() = 0;
};

/// A point that a stream passes: what an event refers to.
struct StreamPoint {
  bool passed = false;
  double time_s = 0;
};

/// Passes the point.
class PassPoint final : public Work {
 public:
  PassPoint(std::shared_ptr<StreamPoint> point, Clock& clock)
      : point_(std::move(point)), clock_(clock) {}
  Step advance() override;

 private:
  std::shared_ptr<StreamPoint> point_;
  Clock& clock_;
};

/// Waits until another stream has passed the point.
class AwaitPoint final : public Work {
 public:
  explicit AwaitPoint(std::shared_ptr<const StreamPoint> point) : point_(std::move(point)) {}
  Step advance() override { return point_->passed ? Step::done : Step::waiting; }

 private:
  std::shared_ptr<const StreamPoint> point_;
};

/// Handles `count` elements, a slice of at most `slice` of them at a time.
class SlicedWork final : public Work {
 public:
  using HandleSlice = std::function<void(Count first, Count count)>;

  SlicedWork(Count count, Count slice, HandleSlice handle)
      : left_(count), slice_(slice), handle_(std::move(handle)) {}
  Step advance() override;

 private:
  Count first_ = 0;
  Count left_;
  Count slice_;
  HandleSlice handle_;
};

/// Uses the core for some time, not counting what happens between its slices.
class BusyWork final : public Work {
 public:
  BusyWork(double seconds, Clock& clock) : left_s_(seconds), clock_(clock) {}
  Step advance() override;

 private:
  double left_s_;
  Clock& clock_;
};

}  // namespace collbench
