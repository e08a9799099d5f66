// SPDX-License-Identifier: Apache-2.0
// The peak of bus bandwidth over the rows of a run, and the plateau that large messages reach.
#pragma once

#include <optional>
#include <span>

#include "results/record.h"

namespace collbench {

/// The row of status `ok` with the most bus bandwidth, the first of equals; null where none has
/// any.
const Record* peak_row(std::span<const Record> rows);

struct Plateau {
  Bytes from_bytes = 0;          // the smallest message of it
  double bus_bandwidth_Bps = 0;  // the median over its rows

  bool operator==(const Plateau&) const = default;
};

/// What each row of a plateau has of the peak, at least.
inline constexpr double kPlateauShare = 0.9;

/// The sizes from which on every row of status `ok` has at least 90 % of the peak; nothing where
/// these are not at least two sizes.
std::optional<Plateau> plateau(std::span<const Record> rows);

}  // namespace collbench
