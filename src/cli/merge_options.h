// SPDX-License-Identifier: Apache-2.0
// The command line of `collbench merge`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace collbench {

struct MergeOptions {
  std::vector<std::string> files;
  std::string output;
  bool force = false;  // replaces an output that exists
};

/// Fills the options, or returns the text of --help. Throws UserError.
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 MergeOptions& options);

}  // namespace collbench
