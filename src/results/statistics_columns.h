// SPDX-License-Identifier: Apache-2.0
// How well the times of a row are known, and who held it up: columns that --stats adds.
//
// +- is half of the median's 95 % interval within this launch and iqr the distance of the
// quartiles, both in percent of the median; slowest is the rank that was the last in most samples,
// and in what part of them.
#pragma once

#include <string>

#include "results/row_pair.h"

namespace collbench {

/// As wide as `statistics_columns` of both placements.
inline constexpr std::size_t kStatisticsWidth = 52;

/// The three lines above the columns, each without its end.
struct ColumnTitles {
  std::string placement, name, unit;
};
ColumnTitles statistics_titles();

/// "    0.52     1.20     3:40%" for either placement, to the right of a row.
std::string statistics_columns(const RowPair& pair);

/// The same as a comment line of its own, each below its placement, for a terminal that is too
/// narrow.
std::string statistics_line(const RowPair& pair);

/// What heads these lines.
std::string statistics_line_title();

}  // namespace collbench
