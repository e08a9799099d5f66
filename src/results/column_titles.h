// SPDX-License-Identifier: Apache-2.0
// The lines above the rows of a table, and the room that rows leave beside them.
#pragma once

#include <string>

#include "results/document.h"
#include "results/table_style.h"

namespace collbench {

/// The names and units of the columns that a run of this configuration has in this style.
std::string column_titles(const RunConfig& config, const TableStyle& style);

/// Whether statistics stand to the right of a row, not below it; `iterations`: rows have the times
/// of single iterations.
bool has_room_for_statistics(const TableStyle& style, bool iterations);

}  // namespace collbench
