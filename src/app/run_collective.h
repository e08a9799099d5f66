// SPDX-License-Identifier: Apache-2.0
// run_collective: everything a collective's binary does but for the collective itself.
#pragma once

#include "comm/call.h"
#include "measure/operation.h"
#include "traffic/traffic.h"

namespace collbench {

/// Parses the command line, measures the operation over the sweep, prints the table and writes the
/// result file. Returns the exit status; docs/exit-status.md lists them.
int run_collective(int argc, char** argv, const Operation& operation);

}  // namespace collbench
