// SPDX-License-Identifier: Apache-2.0
// CycleRow: what is kept of a row each time that a soak (--duration) measures it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "results/record.h"

namespace collbench {

/// One row of one cycle. Samples are kept of the first cycle only, in the document's rows: a soak
/// of a day would fill memory with them.
struct CycleRow {
  std::uint64_t cycle = 1;  // which time round, from 1
  std::string started;      // the cycle, RFC 3339, UTC
  std::size_t row = 0;      // index into Document::rows
  RowStatus status = RowStatus::ok;
  std::string reason{};  // of wrong data and failures
  std::optional<double> median_s{};
  std::optional<Count> wrong_elements{};  // absent where no data was checked

  bool operator==(const CycleRow&) const = default;
};

}  // namespace collbench
