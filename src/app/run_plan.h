// SPDX-License-Identifier: Apache-2.0
// What a run measures: the sweeps of each of its groups of ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/buffers.h"
#include "app/sweep_plan.h"
#include "cli/collective_options.h"
#include "comm/control_plane.h"
#include "measure/groups.h"
#include "traffic/matrix.h"

namespace collbench {

struct PlannedGroup {
  std::vector<int> ranks;                  // of the run
  std::optional<traffic::Matrix> weights;  // of a collective by matrix
  std::vector<PlannedSweep> sweeps;
};

/// Groups measure at the same time: all have as many sweeps, of as many sizes, of the same types,
/// reductions, roots and requested bytes.
struct RunPlan {
  Sweep sweep;  // as asked for, or as a matrix's file says
  std::vector<PlannedGroup> groups;
  std::size_t mine = 0;  // the group of this rank; its settings have the rank's place

  const PlannedGroup& own() const { return groups[mine]; }
};

/// Throws UserError, the same on every rank. Collective over the run.
RunPlan plan_run(ControlPlane& control, const CollectiveOptions& options,
                 const traffic::Traffic& traffic);

/// The largest message that some group measures; 0 when every size is skipped.
Bytes largest_message(const RunPlan& plan);

/// What each buffer of a rank has to hold.
BufferNeed buffer_need(const RunPlan& plan, const Method& method);

/// Throws UserError with the reason when every size is skipped in every group: such a run would end
/// well and say nothing. Where something is measured, what is not is a row with its reason.
void refuse_empty(const RunPlan& plan);

/// As plan_run, with each size once: reductions and roots change none. Collective over the run.
RunPlan plan_sizes(ControlPlane& control, const CollectiveOptions& options,
                   const traffic::Traffic& traffic);

/// The groups, sizes and memory of a run on so many ranks, as --dry-run prints them.
std::string describe_run(const RunPlan& plan, const CollectiveOptions& options,
                         const traffic::Traffic& traffic, int ranks);

}  // namespace collbench
