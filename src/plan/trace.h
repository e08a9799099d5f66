// SPDX-License-Identifier: Apache-2.0
// Trace: a plan's timeline as the JSON that Chrome's tracing and Perfetto read.
#pragma once

#include <string>

#include "plan/predict.h"

namespace collbench::plan {

/// One process per class (one of its ranks), one thread per stream, an arrow from each send to its
/// receive. Times are in microseconds, as the format has it; an operation that waits for its peers
/// is drawn from when it could start, and `waits_us` says for how long.
std::string to_trace(const Plan& plan, const Matching& matching, const Timeline& timeline);

}  // namespace collbench::plan
