// SPDX-License-Identifier: Apache-2.0
// For tests: what becomes of a command line of all_reduce_perf.
#pragma once

#include <string>
#include <vector>

#include "base/errors.h"
#include "cli/collective_options.h"

namespace collbench {

inline CollectiveCommand parse(const std::vector<std::string>& arguments) {
  return parse_collective_command(arguments, traffic::all_reduce);
}

/// Empty where there is none.
inline std::string error_of(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace collbench
