// SPDX-License-Identifier: Apache-2.0
// Executor: runs one rank's operations of a plan, in issue order, on streams of a device. It knows
// no scheme.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/device.h"
#include "plan/plan.h"
#include "plan/predict.h"
#include "replay/computation.h"
#include "replay/plan_communicators.h"
#include "replay/slot_memory.h"

namespace collbench::replay {

/// What the replays of a plan and of its variants share; all of it outlives them.
struct Stage {
  Device& device;
  const plan::Plan& plan;
  int rank = 0;  // of its layout
  const PlanCommunicators& comms;
  const SlotMemory& memory;
  /// One for each of the plan's, and one more, which the host waits on.
  std::span<const std::unique_ptr<Stream>> streams;
};

/// Streams for a Stage.
std::vector<std::unique_ptr<Stream>> make_streams(Device& device, const plan::Plan& plan);

/// Whether operations are timed one by one, which costs a little.
enum class Timing : std::uint8_t { whole_step, each_operation };

class Executor {
 public:
  /// Of the operations of `ranks`, a class of a plan that `stage` is made for; both outlive this.
  /// Throws std::logic_error for a group of messages that is not on one communicator.
  Executor(const Stage& stage, const plan::RankClass& ranks, Timing timing = Timing::whole_step);

  /// One step: issues every operation, then waits for all streams. Collective over the ranks of the
  /// plan. Throws SystemError.
  void run(Computation& computation);

  /// Of the latest run, by operation, seconds since `start_s` by the device's clock. When an
  /// operation was ready is not told apart from its start. Requires Timing::each_operation.
  std::vector<plan::OpTime> times(double start_s) const;

 private:
  struct Messages {
    Communicator* comm = nullptr;
    std::vector<Call> calls;
    std::vector<std::unique_ptr<PeerCounts>> counts;  // that calls point to
  };

  /// An operation with all that can be known before it is issued.
  struct Prepared {
    const plan::Op* op = nullptr;
    Stream* stream = nullptr;
    std::vector<Event*> before;    // of other streams
    std::unique_ptr<Event> start;  // of timed ones only
    std::unique_ptr<Event> done;   // where somebody waits for it, or it is timed
    Messages messages;
    std::byte* to = nullptr;  // of a copy
    const std::byte* from = nullptr;
  };

  Prepared prepare(const plan::Op& op);
  void prepare_messages(Prepared& prepared);
  void prepare_copy(Prepared& prepared);
  void need_event(plan::OpIndex index);
  void issue(plan::OpIndex index, Computation& computation);
  void drain();

  Stage stage_;
  const Timing timing_;
  std::vector<Prepared> ops_;
};

}  // namespace collbench::replay
