// SPDX-License-Identifier: Apache-2.0
// Families: the rows of one subject tested together, and again those of each of its size classes.
//
// A slowdown of a whole collective is spread over rows of which none may pass the correction for
// many rows; all of them together do, on fewer launches.
#pragma once

#include <vector>

#include "analysis/comparison.h"

namespace collbench {

/// Of rows with times on both sides, two or more each; adds to their RowComparison::families. First
/// those of whole subjects, then those of their size classes; each kind is corrected for its
/// number. Rows that other launches measured are of another family, since each launch must weigh
/// the same rows.
std::vector<FamilyComparison> compare_families(std::vector<RowComparison>& rows,
                                               const CompareRules& rules);

}  // namespace collbench
