// SPDX-License-Identifier: Apache-2.0
// The sweeps of a run: one per element type and reduction.
#pragma once

#include <string>
#include <vector>

#include "cli/collective_options.h"
#include "measure/operation.h"
#include "measure/sweep.h"

namespace collbench {

struct PlannedSweep {
  Setting setting;  // but for the count of each size
  std::vector<SweepSize> sizes;
};

/// Throws UserError for a root that no rank is. In the order in which they are measured. `place` is
/// this rank's among the ranks that measure, `weights` are of a collective by matrix.
///
/// `most_ranks` are in the largest of the groups that measure at the same time: where the root of a
/// sweep is beyond a smaller group this one skips all sizes.
std::vector<PlannedSweep> plan_sweeps(const CollectiveOptions& options,
                                      const traffic::Traffic& traffic, RankPlace place,
                                      const traffic::Matrix* weights, int most_ranks);

/// The largest message that is measured; 0 when every size is skipped.
Bytes largest_message(const std::vector<PlannedSweep>& sweeps);

/// The sizes, a line each, as --dry-run prints them: with the bytes of the rank that sends most and
/// of the one that receives most. `weights` are those that the sweeps were planned with.
std::string describe_sweeps(const std::vector<PlannedSweep>& sweeps,
                            const traffic::Traffic& traffic, const traffic::Matrix* weights);

}  // namespace collbench
