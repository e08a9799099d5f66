// SPDX-License-Identifier: Apache-2.0
// Whether all ranks of a run have been started alike: with other arguments or another build they
// would wait for each other in different places, for ever.
#pragma once

#include <string>
#include <vector>

#include "comm/control_plane.h"

namespace collbench {

/// How a rank was started.
struct Start {
  std::string program;  // "all_reduce_perf"
  std::vector<std::string> arguments;
  std::vector<std::string>
      variables;      // "NAME=value": what the command line read of the environment
  std::string build;  // see build_id
  std::string host;
};

/// Throws the same UserError on every rank unless all run the same build of the same program with
/// the same arguments and variables: it says how the first other rank differs from rank 0.
/// Collective over the run.
void require_same_start(ControlPlane& control, const Start& mine);

}  // namespace collbench
