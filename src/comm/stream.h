// SPDX-License-Identifier: Apache-2.0
// Stream and Event: the order of a rank's work, with CUDA's meaning on every backend.
#pragma once

namespace collbench {

/// Work in order of enqueueing; several streams of a rank run concurrently, joined by events.
/// Used by its rank's thread only.
class Stream {
 public:
  virtual ~Stream() = default;

  /// True when everything enqueued so far is done; lets the work progress, never blocks.
  virtual bool query() = 0;

  /// Blocks until everything enqueued so far is done.
  virtual void synchronize() = 0;
};

/// A point in a stream: set by Device::record, waited for by Device::wait.
class Event {
 public:
  virtual ~Event() = default;

  /// True when the stream has passed the recorded point; false before any record.
  virtual bool query() = 0;

  /// The device's time when the stream passed the point, in seconds, comparable with other events
  /// of the same device only. Requires query().
  virtual double time_s() = 0;
};

}  // namespace collbench
