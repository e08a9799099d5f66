// SPDX-License-Identifier: Apache-2.0
// How ranks wait when the user leaves it to us.
#pragma once

#include <string>
#include <vector>

#include "comm/backend.h"
#include "comm/control_plane.h"
#include "comm/host_limits.h"

namespace collbench {

/// What a rank may use.
struct RankCores {
  std::string machine;      // ranks with the same one share its cores
  CoreMask allowed{};       // of the machine's cores
  double granted = 0;       // cores' worth of time that its container grants ...
  int container_ranks = 1;  // ... to so many ranks
};

/// Whether all ranks can run at once, each on a core of its own.
bool every_rank_has_a_core(const std::vector<RankCores>& ranks);

/// The same of the ranks of this run; `local_ranks` share this rank's host or container. Collective
/// over the run.
bool every_rank_has_a_core(ControlPlane& control, int local_ranks);

/// `asked`, but for `automatic`: spin when every rank has a core of its own, else yield.
///
/// With more ranks than cores polling is 200 times slower than yielding, since the kernel takes the
/// core from those who poll only every few milliseconds.
WaitPolicy choose_wait_policy(WaitPolicy asked, bool every_rank_has_a_core);

}  // namespace collbench
