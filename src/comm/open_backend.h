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
  std::unique_ptr<Backend> backend;
  std::string note;  // which and why, in one line; the same on every rank
};

/// Collective over the run, with the same choice on every rank. Throws CommonSystemError, see
/// decide_backend.
OpenedBackend open_backend(BackendChoice choice, MpiSession& session);

}  // namespace collbench
