// SPDX-License-Identifier: Apache-2.0
// SweepProgress: how far a long sweep is, in words for stderr.
//
// It speaks between rows only, so that nothing of it falls into a measurement: a bar that is drawn
// anew where somebody watches a terminal, else a line now and then, for the log of a batch system.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/clock.h"
#include "cli/output_flags.h"

namespace collbench {

class SweepProgress {
 public:
  /// `rows` is how many there will be; absent where time decides that. `choice` is not automatic.
  SweepProgress(ProgressChoice choice, std::string program, std::optional<std::size_t> rows,
                Clock& clock);

  /// What to print after a row; empty as a rule.
  std::string row_done();

  /// What to print at the end: it takes a bar away.
  std::string end() const;

 private:
  std::string rows_done() const;
  std::string bar(double elapsed_s) const;

  const ProgressChoice choice_;
  const std::string program_;
  const std::optional<std::size_t> rows_;
  Clock& clock_;
  const double started_s_;
  double last_s_;
  std::size_t done_ = 0;
  bool drawn_ = false;
};

/// What `automatic` means: a bar where stderr is a terminal and stdout, whose rows would run into
/// it, is none; else lines.
ProgressChoice settled(ProgressChoice choice, bool stderr_is_terminal, bool stdout_is_terminal);

}  // namespace collbench
