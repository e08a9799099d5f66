// SPDX-License-Identifier: Apache-2.0
// Summary: what the rows of a run come to; computed where it is shown, never stored beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "results/cycle.h"
#include "results/record.h"

namespace collbench {

struct Summary {
  std::uint64_t rows = 0;
  std::uint64_t ok = 0;
  std::uint64_t wrong = 0;
  std::uint64_t skipped = 0;
  std::uint64_t failed = 0;
  std::uint64_t measured = 0;  // rows with a time
  std::uint64_t checked = 0;   // rows whose data was checked
  Count wrong_elements = 0;
  /// Over the rows of status `ok` that have one, all sizes, placements and cycles alike, as
  /// nccl-tests' last line. It depends on the sizes chosen, so it tells two runs of one command
  /// apart and nothing else. How fast wrong data came tells nothing, so wrong rows have no part in
  /// it. Absent where rows are of different groups of ranks, which are never averaged together.
  std::optional<double> mean_bus_bandwidth_Bps;

  bool operator==(const Summary&) const = default;
};

/// The cycles are those of a soak of these rows; all but the mean is of the rows alone.
Summary summarize(std::span<const Record> rows, std::span<const CycleRow> cycles = {});

struct GroupSummary {
  GroupKey group;
  Summary summary;

  bool operator==(const GroupSummary&) const = default;
};

/// Of each group of ranks that has rows, by its index; empty where ranks are not split.
std::vector<GroupSummary> summarize_groups(std::span<const Record> rows,
                                           std::span<const CycleRow> cycles = {});

}  // namespace collbench
