// SPDX-License-Identifier: Apache-2.0
// One run of comm_init_perf on all ranks.
#pragma once

#include <string>
#include <vector>

#include "app/backend_of_run.h"
#include "app/run_main.h"
#include "cli/comm_init_options.h"
#include "measure/operation.h"

namespace collbench {

/// Measures as one rank, prints the table, writes the result file. Returns what the data check
/// calls for: ok or wrong_data. Throws UserError for a size that so many ranks cannot do.
/// Collective over the run.
ExitStatus measure_comm_init(RunContext& run, const BackendOfRun& backend,
                             const std::vector<std::string>& arguments,
                             const CommInitOptions& options, const Operation& operation);

}  // namespace collbench
