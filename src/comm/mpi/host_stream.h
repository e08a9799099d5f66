// SPDX-License-Identifier: Apache-2.0
// HostStream and HostEvent: a queue of work that the engine does in order, and a point in it.
#pragma once

#include <deque>
#include <memory>

#include "comm/mpi/host_engine.h"
#include "comm/mpi/host_work.h"
#include "comm/stream.h"

namespace collbench {

class HostStream final : public Stream {
 public:
  explicit HostStream(std::shared_ptr<HostEngine> engine);

  /// Finishes its work first, as CUDA does; but drops it while an exception is under way.
  ~HostStream() override;

  bool query() override;
  void synchronize() override;

  /// Takes the work, and does it at once in the modes for one stream.
  void enqueue(std::unique_ptr<Work> work);

  /// Its turn: goes on until the work in front waits, has used a slice of time, or there is none.
  /// True when anything was done.
  /// Work that fails is dropped.
  bool progress();

 private:
  Step advance_front();

  std::shared_ptr<HostEngine> engine_;
  std::deque<std::unique_ptr<Work>> queue_;
};

class HostEvent final : public Event {
 public:
  explicit HostEvent(std::shared_ptr<HostEngine> engine) : engine_(std::move(engine)) {}

  bool query() override;
  double time_s() override { return latest_->time_s; }

  /// The stream passes the event after what it holds now.
  void record(HostStream& stream);

  /// The stream goes on after the latest record.
  void hold_up(HostStream& stream) const;

 private:
  std::shared_ptr<HostEngine> engine_;
  std::shared_ptr<StreamPoint> latest_;  // null before any record
};

}  // namespace collbench
