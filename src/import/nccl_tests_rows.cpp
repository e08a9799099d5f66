// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_tests_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/imported_run.h"
#include "results/units.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

/// How far the digits of a bandwidth may leave open the time that it is all there is of.
constexpr double kKnownTo = 0.01;

std::string place_of(const NcclTestsRow& row) {
  return row.line > 0 ? fmt::format("line {}", row.line) : row.place;
}

/// The time: as printed, or where -C hides it from the bandwidth that was computed with it.
std::optional<PrintedNumber> time_us(const NcclTestsPlacement& placement,
                                     const NcclTestsCommon& common, const RowKey& key) {
  if (!placement.enqueue_us) return placement.time_us;
  const auto& rate = placement.algorithm_GBps;
  if (!rate || rate->low() <= 0) return std::nullopt;
  double moved = static_cast<double>(key.message_bytes);
  if (common.traffic.collective == Collective::hypercube) {
    moved *= common.traffic.bus_factor(key.ranks);  // which nccl-tests has in its algbw already
  }
  const double us = moved / rate->value / 1e3;
  return PrintedNumber{us, us * rate->half_unit / rate->value};
}

std::string why_no_time(const NcclTestsPlacement& placement,
                        const std::optional<PrintedNumber>& time) {
  if (!time) return "its output has no time for it";
  if (placement.enqueue_us && time->half_unit > kKnownTo * time->value) {
    return "-C hides its time, and its bandwidth has too few digits to tell it";
  }
  return "";
}

void require_bus_bandwidth(const NcclTestsRow& row, const NcclTestsPlacement& placement,
                           const NcclTestsCommon& common, const RowKey& key) {
  if (!placement.bus_GBps || !placement.time_us) return;
  if (bus_bandwidth_follows(common.traffic, key.message_bytes, key.ranks, *placement.time_us,
                            *placement.bus_GBps)) {
    return;
  }
  throw UserError(fmt::format(
      "{}: the bus bandwidth {} GB/s is not that of {} bytes in {} us by {} on {} ranks: check "
      "--ranks and --collective",
      place_of(row), placement.bus_GBps->value, key.message_bytes, placement.time_us->value,
      key.collective, key.ranks));
}

void judge(Record& record, const NcclTestsRun& run, const NcclTestsPlacement& placement,
           const NcclTestsCommon& common) {
  if (!placement.wrong) return;
  const double wrong = *placement.wrong;
  const Count of_rank =
      record.key.count * static_cast<Count>(traffic::blocks(common.traffic.recv, record.key.ranks));
  const Count checked = of_rank * static_cast<Count>(record.key.ranks);
  if (wrong == 0)
    record.check = {.checked_elements = checked, .wrong_elements = 0, .first_wrong = ""};
  if (wrong <= 0) return;
  // Before 2.13 the column has the largest deviation, of which some is allowed.
  if (run.has_largest_deviation) {
    if (run.out_of_bounds.value_or(0) == 0) return;
    record.status = RowStatus::wrong;
    record.reason = fmt::format("values out of bounds, the largest deviation {}", wrong);
    return;
  }
  record.status = RowStatus::wrong;
  const auto elements = static_cast<Count>(std::min(wrong, 0x1p62));
  record.reason = fmt::format("{} wrong elements", elements);
  record.check = {.checked_elements = std::max(checked, elements),
                  .wrong_elements = elements,
                  .first_wrong = ""};
}

}  // namespace

void require_size(const NcclTestsRow& row, const NcclTestsCommon& common) {
  if (common.traffic.by_matrix) return;  // a matrix may say anything
  const Bytes size = traffic::message_bytes(common.traffic, row.count, row.type, common.key.ranks);
  if (size == row.size_bytes) return;
  throw UserError(
      fmt::format("{}: {} elements of {} on {} ranks are {} bytes in {}, not {}: check --ranks and "
                  "--collective",
                  place_of(row), row.count, name_of(row.type), common.key.ranks, size,
                  common.traffic.name, row.size_bytes));
}

Record nccl_tests_record(const NcclTestsRun& run, const NcclTestsRow& row, bool in_place,
                         const NcclTestsCommon& common) {
  const NcclTestsPlacement& placement = in_place ? *row.in_place : *row.out_of_place;
  RowKey key = common.key;
  key.in_place = in_place;
  key.type = row.type;
  key.count = row.count;
  key.message_bytes = row.size_bytes;
  key.op = common.traffic.reduces ? row.op : std::nullopt;
  key.root = common.traffic.rooted ? row.root : std::nullopt;
  if (in_place && common.traffic.in_place == traffic::InPlace::none) {
    return skipped_row(key, traffic::why_not_in_place(common.traffic));
  }
  if (key.message_bytes == 0) return skipped_row(key, "its size rounds to 0 bytes");
  const auto time = time_us(placement, common, key);
  if (std::string why = why_no_time(placement, time); !why.empty()) return skipped_row(key, why);
  require_bus_bandwidth(row, placement, common, key);
  Record record = imported_row(common.traffic, key, time->value, common.operations);
  Timing& timing = *record.timing;
  if (placement.enqueue_us) timing.enqueue_s = {s_from_us(placement.enqueue_us->value)};
  for (const double us : placement.iteration_us) timing.iteration_s.push_back(s_from_us(us));
  timing.skipped_iterations = placement.skipped_iterations;
  judge(record, run, placement, common);
  return record;
}

}  // namespace collbench
