// SPDX-License-Identifier: Apache-2.0
// The facts of a run that begins now.
#pragma once

#include "results/document.h"

namespace collbench {

/// A new random id, the time, and this build.
RunFacts new_run_facts();

}  // namespace collbench
