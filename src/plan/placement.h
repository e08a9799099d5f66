// SPDX-License-Identifier: Apache-2.0
// What a plan sends across nodes, by axis.
#pragma once

#include <vector>

#include "model/placement.h"
#include "plan/plan.h"

namespace collbench::plan {

/// Of each axis that the plan communicates on, in the order of their enumerators, for ranks on
/// these nodes, by global rank.
///
/// Of a message to one rank all leaves the node, or nothing. Of an all-to-all (gather, scatter) the
/// part for members elsewhere, as if it went to all members evenly. Of the other collectives, on n
/// ranks of m > 1 nodes, the m-th of n parts: a ring that visits one node after the other leaves a
/// node once, and the ranks of a node take turns in it, as src/plan/link_model.h has it.
std::vector<model::AxisPlacement> placement(const Plan& plan, const std::vector<int>& node_of_rank);

/// The nodes of so many ranks where every `ranks_per_node` share one.
std::vector<int> nodes_in_order(int ranks, int ranks_per_node);

}  // namespace collbench::plan
