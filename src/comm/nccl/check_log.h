// SPDX-License-Identifier: Apache-2.0
// CheckLog: checks on a GPU whose outcomes stay there until they are asked for.
#pragma once

#include <memory>
#include <vector>

#include "comm/device.h"
#include "comm/nccl/rank_comms.h"

namespace collbench {

/// Has its memory from the start: while another rank's GPU waits for this one, allocating may wait
/// for that GPU.
class CheckLog {
 public:
  /// With room for so many checks that find anything. Throws SystemError.
  CheckLog(Count room, std::shared_ptr<RankComms> comms);

  void enqueue(const void* data, Count count, const Pattern& pattern, Count first, Stream& stream);

  /// The outcomes since the last call, in order of their checks, whose streams have been drained.
  /// Throws std::logic_error where they have not, SystemError when there was no room for all.
  std::vector<CheckResult> take();

 private:
  void forget();

  Count room_;
  std::unique_ptr<Memory> log_;  // of the device
  Count checks_ = 0;
  Count launched_ = 0;  // of these; those of nothing are not
};

}  // namespace collbench
