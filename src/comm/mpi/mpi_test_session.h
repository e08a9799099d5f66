// SPDX-License-Identifier: Apache-2.0
// The session that all tests under mpirun share: MPI starts once per process.
#pragma once

#include "comm/launch.h"

namespace collbench {

/// Of this process, while tests run. Every rank runs the same tests in the same order.
MpiSession& test_session();

}  // namespace collbench
