// SPDX-License-Identifier: Apache-2.0
// The command line of `collbench ab`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare_options.h"

namespace collbench {

struct AbOptions {
  std::size_t runs = 5;                      // of each command
  std::string folder;                        // --keep: where files stay; empty: nowhere
  double launch_timeout_s = 0;               // 0: none
  std::vector<std::string> base, candidate;  // commands and their arguments
  ComparingOptions comparing;
};

/// Fills the options, or returns the text of --help. Throws UserError.
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 AbOptions& options);

}  // namespace collbench
