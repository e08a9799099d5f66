// SPDX-License-Identifier: Apache-2.0
// run_memcpy: the whole of memcpy_perf.
#pragma once

namespace collbench {

/// Measures the copies that every rank does by itself. Returns the exit status.
int run_memcpy(int argc, char** argv);

}  // namespace collbench
