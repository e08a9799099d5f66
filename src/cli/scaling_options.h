// SPDX-License-Identifier: Apache-2.0
// The command line of `collbench scaling`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace collbench {

struct ScalingOptions {
  std::vector<std::string> files;
  std::optional<int> base_ranks;  // absent: the smallest count of each curve
  bool json = false;
  std::string output;  // a file; empty: stdout
};

/// Fills the options, or returns the text of --help. Throws UserError.
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 ScalingOptions& options);

}  // namespace collbench
