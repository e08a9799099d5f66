// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <fmt/format.h>

#ifndef COLLBENCH_GIT_COMMIT
#define COLLBENCH_GIT_COMMIT "unknown"
#endif
#ifndef COLLBENCH_FLAGS
#define COLLBENCH_FLAGS ""
#endif

namespace collbench {

BuildInfo build_info() { return {COLLBENCH_GIT_COMMIT, "g++ " __VERSION__, COLLBENCH_FLAGS}; }

std::string build_id() {
  const BuildInfo info = build_info();
  return fmt::format("{}|{}|{}|{}", kVersion, info.git_commit, info.compiler, info.flags);
}

}  // namespace collbench
