// SPDX-License-Identifier: Apache-2.0
// One run of one collective on all ranks, from the choice of a backend to the last row.
#pragma once

#include <string>
#include <vector>

#include "app/backend_of_run.h"
#include "app/run_main.h"
#include "cli/collective_options.h"
#include "measure/operation.h"

namespace collbench {

/// Measures the sweep as one rank, prints the table, writes the result file. Returns what the data
/// check calls for: ok or wrong_data. Collective over the run.
ExitStatus run_sweep(RunContext& run, const BackendOfRun& backend,
                     const std::vector<std::string>& arguments, const CollectiveOptions& options,
                     const Operation& operation);

}  // namespace collbench
