// SPDX-License-Identifier: Apache-2.0
// Sampling of what a rank does by itself: copies, all ranks at the same time or one after the
// other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "comm/control_plane.h"
#include "comm/device.h"
#include "measure/progress.h"
#include "measure/sampling.h"
#include "measure/stop_rule.h"

namespace collbench {

/// What a rank measures copies with.
struct CopyBench {
  ControlPlane& control;
  Device& device;
  Stream& stream;
  Progress& progress;
};

/// When the ranks of a run have their blocks: those of the same turn at the same time.
struct Turns {
  int mine = 0;   // of this rank
  int count = 1;  // the same on every rank
};

/// A copy of this rank, on the bench's stream.
struct RepeatedCopy {
  std::function<void(std::uint64_t position)> enqueue;  // the i-th since the row began
  Bytes bytes = 0;
  std::string what;  // for deadlines
};

struct CopySampling {
  StopRule stop;
  WarmUp warm_up;                             // one block at least, which K is found by
  double block_s = 1e-3;                      // a block lasts at least this long on every rank
  std::optional<std::uint64_t> fixed_copies;  // K of -n
  double deadline_s = 120;                    // without a finished block; 0: none
};

/// Warms up, then takes samples until the stop rule is met. A sample is a block of every rank,
/// K copies back to back and drained; its value is that of the slowest rank, seconds per copy.
/// Collective over the run; complete on rank 0 and empty elsewhere.
Samples sample_copies(const CopyBench& bench, const Turns& turns, const RepeatedCopy& copy,
                      const CopySampling& options);

}  // namespace collbench
