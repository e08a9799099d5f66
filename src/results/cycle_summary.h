// SPDX-License-Identifier: Apache-2.0
// What the cycles of a soak come to; computed where it is shown, never stored beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/cycle.h"

namespace collbench {

/// A row whose medians rise or fall from cycle to cycle.
struct CycleDrift {
  std::size_t row;
  double change;  // of the second half of the cycles from the first, as a share of it

  bool operator==(const CycleDrift&) const = default;
};

struct CycleSummary {
  std::uint64_t begun = 0;              // cycles; the last may lack rows
  std::uint64_t wrong = 0;              // placements with wrong data, over all cycles
  std::optional<CycleRow> first_wrong;  // of these
  std::vector<CycleDrift> drifts;       // by row
};

/// Drift is what it is among samples (statistics::drifts): the medians of the second half of the
/// cycles over 2 % off those of the first, and a trend that chance gives with p < 0.01, which takes
/// 8 cycles. It looks at stretch_medians, which keeps the test, quadratic in their number, short
/// and disturbances of single cycles out of it.
CycleSummary summarize_cycles(std::span<const CycleRow> cycles);

/// Medians of neighbouring cycles, equally many each: of more than 64, 64 or fewer. Requires
/// values.
std::vector<double> stretch_medians(std::span<const double> by_cycle);

/// The bus bandwidths of each row whenever it was measured and right: in every cycle of a soak,
/// where there are cycles, else once, if at all.
std::vector<std::vector<double>> bus_bandwidths_Bps(std::span<const Record> rows,
                                                    std::span<const CycleRow> cycles);

/// Neighbouring cycles beside the first: how much longer or shorter rows took than there.
struct CycleRange {
  std::uint64_t first = 1, last = 1;
  std::string started;            // the first of them
  std::optional<double> fastest;  // the least ratio of a median to that of the row's first cycle
  std::optional<double> slowest;  // the largest; absent where no row was measured right in both
  std::uint64_t wrong = 0;        // placements with wrong data

  bool operator==(const CycleRange&) const = default;
};

/// Equally many cycles each, but for the last, and at most `most` ranges. Requires `most` > 0.
std::vector<CycleRange> cycle_ranges(std::span<const CycleRow> cycles, std::uint64_t most);

}  // namespace collbench
