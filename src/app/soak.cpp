// SPDX-License-Identifier: Apache-2.0
#include "app/soak.h"

namespace collbench {

bool Soak::begin_cycle() {
  if (!duration_s_ && cycle_ == cycles_) return false;
  if (cycle_ == 0) {
    begun_s_ = clock_.now_s();
  } else if (is_over()) {
    return false;
  }
  ++cycle_;
  row_ = 0;
  started_ = utc_now_rfc3339();
  return true;
}

bool Soak::goes_on() { return cycle_ == 1 || !is_over(); }

bool Soak::is_over() {
  if (!duration_s_) return false;
  return control_.broadcast(clock_.now_s() - begun_s_ >= *duration_s_);
}

std::optional<CycleRow> Soak::aggregate(const Record& record) {
  if (!duration_s_) return std::nullopt;
  CycleRow row{.cycle = cycle_, .started = started_, .row = row_++, .status = record.status};
  if (record.status != RowStatus::skipped) row.reason = record.reason;
  if (record.timing) row.median_s = record.timing->median_s;
  if (record.check) row.wrong_elements = record.check->wrong_elements;
  return row;
}

}  // namespace collbench
