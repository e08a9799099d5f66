// SPDX-License-Identifier: Apache-2.0
// From the blocks that each rank has timed to the samples of each group of ranks.
#pragma once

#include <vector>

#include "measure/block_timer.h"
#include "measure/groups.h"
#include "measure/sampling.h"

namespace collbench {

/// A block as all ranks have seen it, by rank of the run.
using BlockOfRanks = std::vector<TimedBlock>;

/// Every rank's blocks, block by block. Collective over the run.
std::vector<BlockOfRanks> gather_blocks(ControlPlane& control, const std::vector<TimedBlock>& mine);

/// The block's value for each group, and all that is kept beside it.
void add_block(const BlockOfRanks& block, const Workbench& bench, const RanksOfGroups& groups,
               const Method& method, std::vector<Samples>& samples);

}  // namespace collbench
