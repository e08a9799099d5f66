// SPDX-License-Identifier: Apache-2.0
// CudaEvent and EventClock: points in streams of a GPU, and their times.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "comm/stream.h"

namespace collbench {

/// An event of CUDA's, with timing. Throws SystemError.
class EventHandle {
 public:
  EventHandle();
  ~EventHandle() { cudaEventDestroy(event_); }  // waits for nothing
  EventHandle(const EventHandle&) = delete;
  EventHandle& operator=(const EventHandle&) = delete;

  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// A moment that other events are timed from.
class EventBase {
 public:
  /// On a stream that is always idle, so that the moment is now, or very soon.
  EventBase(cudaStream_t idle, std::shared_ptr<EventBase> previous);

  /// Seconds from the first base to an event, which has happened.
  double time_of(cudaEvent_t event);

  /// Of this base; waits until it has happened.
  double time_s();

 private:
  EventHandle event_;
  std::shared_ptr<EventBase> previous_;  // until it is known how much earlier that was
  double time_s_ = 0;
};

/// CUDA tells the milliseconds between two events in 24 bits: 0.06 us of a second, 4 us of a
/// minute. So events are timed from a base at most half a second older, of which there is a new one
/// as time goes by. No record waits for anything.
class EventClock {
 public:
  explicit EventClock(double now_s);
  ~EventClock();
  EventClock(const EventClock&) = delete;
  EventClock& operator=(const EventClock&) = delete;

  /// The base of what is recorded at this time of the host.
  std::shared_ptr<EventBase> base(double now_s);

 private:
  cudaStream_t stream_ = nullptr;
  std::shared_ptr<EventBase> base_;
  double base_since_s_;
};

class CudaEvent final : public Event {
 public:
  bool query() override;
  double time_s() override;

  cudaEvent_t handle() const { return event_.get(); }

  /// It has been recorded after `base`.
  void note_record(std::shared_ptr<EventBase> base) { base_ = std::move(base); }
  bool is_recorded() const { return base_ != nullptr; }

 private:
  EventHandle event_;
  std::shared_ptr<EventBase> base_;  // of the latest record
};

}  // namespace collbench
