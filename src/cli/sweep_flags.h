// SPDX-License-Identifier: Apache-2.0
// The flags that say which sizes are measured.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "measure/sweep.h"

namespace collbench {

class SweepFlags {
 public:
  /// Declares them under a heading of their own.
  void declare(CommandLine& line);

  /// Throws UserError for what cannot be meant.
  Sweep read() const;

  /// Whether the first or the last size is given.
  bool names_size() const { return first_ || last_; }

 private:
  std::optional<std::string> first_, last_, step_, factor_;
};

}  // namespace collbench
