// SPDX-License-Identifier: Apache-2.0
// What to know of a comparison besides its rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/comparison.h"

namespace collbench {

/// A shift of more than half the threshold in the median of five or more rows, of which four in
/// five moved in its direction.
std::optional<UniformShift> find_uniform_shift(const std::vector<RowComparison>& rows);

/// Launches of the new side that are the same run as one of the base, by either file's name.
std::vector<std::string> same_runs(const Comparison& comparison);

/// Whole sentences: runs that are incomplete, environments that differ, launches whose order or
/// number makes a verdict weak.
std::vector<std::string> notes_of(const Comparison& comparison);

}  // namespace collbench
