// SPDX-License-Identifier: Apache-2.0
// The rank threads of a process: everything above run_main is written for one rank.
#pragma once

#include <functional>

#include "app/run_main.h"
#include "base/errors.h"

namespace collbench {

/// Runs the body once for each of the `threads` ranks of this process, which is 1 at least: of one
/// rank on the caller's thread, of several on threads of their own, each with its place, control
/// plane and progress. Returns the worst status of them. Throws what the body throws where every
/// rank finds the same error; a failure of one rank ends the run. Collective over the run.
ExitStatus run_rank_threads(RunContext& process, int threads,
                            const std::function<ExitStatus(RunContext& rank)>& body);

}  // namespace collbench
