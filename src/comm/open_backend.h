// SPDX-License-Identifier: Apache-2.0
// Opening the backend that a run was asked to use, or the best that there is.
#pragma once

#include <memory>
#include <string>

#include "comm/backend.h"
#include "comm/backend_choice.h"
#include "comm/launch.h"

namespace collbench {

struct OpenedBackend {
  std::unique_ptr<BackendProcess> process;
  bool nccl = false;
  std::string note;  // which and why, in one line; the same on every rank
};

/// Collective over the run's processes, with the same choice on all. `nccl_library`: a file to use
/// as libnccl instead of the one that the loader finds; empty for that one. Throws
/// CommonSystemError, see decide_backend.
OpenedBackend open_backend(BackendChoice choice, const std::string& nccl_library,
                           MpiSession& session);

}  // namespace collbench
