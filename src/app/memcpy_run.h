// SPDX-License-Identifier: Apache-2.0
// One run of memcpy_perf on all ranks.
#pragma once

#include <string>
#include <vector>

#include "app/backend_of_run.h"
#include "app/run_main.h"
#include "cli/memcpy_options.h"

namespace collbench {

/// Measures as one rank, prints the table, writes the result file. Returns what the data check
/// calls for: ok or wrong_data. Throws UserError for sizes that the memory has no room for.
/// Collective over the run.
ExitStatus measure_memcpy(RunContext& run, const BackendOfRun& backend,
                          const std::vector<std::string>& arguments, const MemcpyOptions& options);

}  // namespace collbench
