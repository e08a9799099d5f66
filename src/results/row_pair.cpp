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

// The pair at the end that still lacks this one: groups take turns, so it need not be the last.
RowPair* find_pair(std::vector<RowPair>& pairs, const Record& in_place) {
  for (auto pair = pairs.rbegin(); pair != pairs.rend() && pair->in_place == nullptr; ++pair) {
    if (belong_together(*pair->out_of_place, in_place)) return &*pair;
  }
  return nullptr;
}

}  // namespace

const Record* RowPair::measured() const {
  if (is_measured(out_of_place)) return out_of_place;
  return is_measured(in_place) ? in_place : nullptr;
}

std::vector<RowPair> pair_rows(std::span<const Record> rows) {
  std::vector<RowPair> pairs;
  for (const Record& row : rows) {
    if (!row.key.in_place) {
      pairs.push_back({&row, nullptr});
    } else if (RowPair* const pair = find_pair(pairs, row)) {
      pair->in_place = &row;
    } else {
      pairs.push_back({nullptr, &row});
    }
  }
  return pairs;
}

bool is_measured(const Record* row) { return row != nullptr && row->timing.has_value(); }

std::string group_line(const std::optional<GroupKey>& group) {
  return group ? fmt::format("# group {} of {}\n", group->index, group->count) : "";
}

std::string key_columns(const RowKey& key, Bytes size, int width) {
  return fmt::format("{:{}}  {:12}  {:>8}  {:>6}  {:6}", size, width, key.count, name_of(key.type),
                     key.op ? name_of(*key.op) : "none", key.root.value_or(-1));
}

}  // namespace collbench
