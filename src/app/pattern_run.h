// SPDX-License-Identifier: Apache-2.0
// One run of one pattern on all ranks, from the choice of a backend to the last layout.
#pragma once

#include <string>
#include <vector>

#include "app/backend_of_run.h"
#include "app/run_main.h"
#include "cli/pattern_options.h"

namespace collbench {

/// Measures the steps as one rank, prints them, writes the result file. Returns what the data check
/// calls for: ok or wrong_data. Throws UserError, the same on every rank, for what cannot be
/// measured here. Collective over the run.
ExitStatus measure_pattern(RunContext& run, const BackendOfRun& backend,
                           const std::vector<std::string>& arguments, const PatternOptions& options,
                           const plan::Pattern& pattern);

/// A plan that is built here is sound, whatever the flags; if not, that is an error of ours. Throws
/// std::logic_error.
void require_sound(const plan::Plan& plan);

}  // namespace collbench
