// SPDX-License-Identifier: Apache-2.0
// Soak: how often the sweep of a run is repeated, by number (-N) or by time (--duration).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "cli/sampling_flags.h"
#include "comm/control_plane.h"
#include "results/cycle.h"
#include "results/record.h"

namespace collbench {

/// One per rank; all ranks go through the same rows of the same cycles. Time is rank 0's, from the
/// begin of the first cycle, which is always whole; a later one ends between two rows.
class Soak {
 public:
  Soak(ControlPlane& control, Clock& clock, const SamplingChoice& choice)
      : control_(control), clock_(clock), cycles_(choice.cycles), duration_s_(choice.duration_s) {}

  /// Begins the next cycle, if there is one. Collective over the run.
  bool begin_cycle();

  /// Whether another row of this cycle is measured. Collective over the run.
  bool goes_on();

  /// From 1.
  std::uint64_t cycle() const { return cycle_; }

  /// Whether this cycle's rows are kept with all of their samples.
  bool keeps_rows() const { return !duration_s_ || cycle_ == 1; }

  /// What is kept of the next row of this cycle; nothing where cycles are counted: their rows are.
  std::optional<CycleRow> aggregate(const Record& record);

 private:
  bool is_over();

  ControlPlane& control_;
  Clock& clock_;
  const std::uint64_t cycles_;
  const std::optional<double> duration_s_;
  double begun_s_ = 0;
  std::uint64_t cycle_ = 0;
  std::string started_;  // this cycle
  std::size_t row_ = 0;  // the next one of this cycle
};

}  // namespace collbench
