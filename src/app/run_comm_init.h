// SPDX-License-Identifier: Apache-2.0
// run_comm_init: everything comm_init_perf does but for the operation on its communicators.
#pragma once

#include "measure/operation.h"

namespace collbench {

/// Measures what it takes to make communicators and to end them, and the first operations on each.
/// The operation neither is by matrix nor has a root. Returns the exit status.
int run_comm_init(int argc, char** argv, const Operation& operation);

}  // namespace collbench
