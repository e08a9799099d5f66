// SPDX-License-Identifier: Apache-2.0
// Curves of collectives over numbers of ranks: the part of scaling_study.h that is of rows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/scaling_study.h"

namespace collbench {

/// Whether it says something of links: two ranks and more, out of place, with bytes to move.
bool crosses_links(const RowKey& key);

/// Whether the row has a time to go by.
bool is_measured(const Record& row);

/// Adds curves, latency and bandwidth at each count, and what is in neither.
void add_row_curves(std::span<const Document* const> documents, std::optional<int> base_ranks,
                    ScalingStudy& study);

}  // namespace collbench
