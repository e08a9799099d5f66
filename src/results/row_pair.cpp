// SPDX-License-Identifier: Apache-2.0
#include "results/row_pair.h"

#include <fmt/format.h>

namespace collbench {
namespace {

bool belong_together(const Record& out_of_place, const Record& in_place) {
  RowKey key = in_place.key;
  key.in_place = false;
  return in_place.key.in_place && key == out_of_place.key &&
         in_place.requested_bytes == out_of_place.requested_bytes;
}

}  // namespace

const Record* RowPair::measured() const {
  if (is_measured(out_of_place)) return out_of_place;
  return is_measured(in_place) ? in_place : nullptr;
}

std::vector<RowPair> pair_rows(std::span<const Record> rows) {
  std::vector<RowPair> pairs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 1 < rows.size() && belong_together(rows[i], rows[i + 1])) {
      pairs.push_back({&rows[i], &rows[i + 1]});
      ++i;
    } else {
      pairs.push_back(rows[i].key.in_place ? RowPair{nullptr, &rows[i]}
                                           : RowPair{&rows[i], nullptr});
    }
  }
  return pairs;
}

bool is_measured(const Record* row) { return row != nullptr && row->timing.has_value(); }

std::string key_columns(const RowKey& key, Bytes size, int width) {
  return fmt::format("{:{}}  {:12}  {:>8}  {:>6}  {:6}", size, width, key.count, name_of(key.type),
                     key.op ? name_of(*key.op) : "none", key.root.value_or(-1));
}

}  // namespace collbench
