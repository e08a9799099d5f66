// SPDX-License-Identifier: Apache-2.0
// The host backend: memory of the host, and MPI between the ranks.
#pragma once

#include <memory>

#include "comm/backend.h"
#include "comm/launch.h"
#include "comm/mpi/call_parts.h"

namespace collbench {

/// Of one rank; the session outlives it.
std::unique_ptr<BackendProcess> make_host_process(MpiSession& session);

std::unique_ptr<Backend> make_host_backend(MpiSession& session);

/// With limits other than the library's, for tests.
std::unique_ptr<Backend> make_host_backend(MpiSession& session, const CallLimits& limits);

}  // namespace collbench
