// SPDX-License-Identifier: Apache-2.0
// run_pattern: the whole of a binary of parallel_patterns/.
#pragma once

#include "plan/pattern.h"

namespace collbench {

/// Shows or predicts the pattern's plan, as the command line says; returns the exit status for main
/// to return.
int run_pattern(int argc, char** argv, const plan::Pattern& pattern);

}  // namespace collbench
