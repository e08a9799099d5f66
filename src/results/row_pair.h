// SPDX-License-Identifier: Apache-2.0
// RowPair: the two placements of one size, which tables show on one line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/record.h"

namespace collbench {

/// Either may be absent: of a run that was cut short the last row stands alone.
struct RowPair {
  const Record* out_of_place = nullptr;
  const Record* in_place = nullptr;

  /// The first that has a time; null when neither has.
  const Record* measured() const;
};

/// Each in-place row beside the out-of-place one of the same size, which stands right before it, or
/// before other groups' rows of the size. Valid as long as the rows.
std::vector<RowPair> pair_rows(std::span<const Record> rows);

/// Whether there is such a row and it has a time.
bool is_measured(const Record* row);

/// "# group 1 of 2" and its end: the line above a row of one of several groups of ranks; else
/// empty.
std::string group_line(const std::optional<GroupKey>& group);

/// "           8             2     float     sum      -1": what says which row it is, the size in
/// `width` columns.
std::string key_columns(const RowKey& key, Bytes size, int width);

}  // namespace collbench
