// SPDX-License-Identifier: Apache-2.0
// StepContext: what all records of steps of a run share.
#pragma once

#include <string>
#include <vector>

#include "cli/pattern_options.h"

namespace collbench {

struct StepContext {
  const PatternOptions& options;
  std::string backend;
  std::vector<int> host_of_rank;
  int ranks_per_process = 1;
  std::vector<std::string> flags;
};

}  // namespace collbench
