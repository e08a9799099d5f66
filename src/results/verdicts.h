// SPDX-License-Identifier: Apache-2.0
// Verdicts: whether a run is as fast as it was asked to be. Pure functions of thresholds and rows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_rows.h"
#include "base/errors.h"
#include "results/cycle.h"
#include "results/record.h"
#include "results/summary.h"

namespace collbench {

/// The least bus bandwidth of the rows of one size.
struct SizeThreshold {
  Bytes requested_bytes = 0;  // as the sweep asks for it, before rounding
  double bus_bandwidth_Bps = 0;

  bool operator==(const SizeThreshold&) const = default;
};

/// What a run must reach.
struct Thresholds {
  /// Of the average bus bandwidth, as kMinBandwidthVariable gives it, see kToleratedPercent.
  std::optional<double> mean_bus_bandwidth_Bps;
  std::vector<SizeThreshold> by_size;  // --min-busbw

  bool operator==(const Thresholds&) const = default;
};

inline constexpr const char* kMinBandwidthVariable = "NCCL_TESTS_MIN_BW";

/// How far below it the average may stay: nccl-tests' source says so, its documentation does not.
inline constexpr int kToleratedPercent = 10;

enum class Judgement : std::uint8_t { met, not_met, inconclusive };

struct JudgementRow {
  Judgement judgement;
  std::string_view name;   // in files
  std::string_view shout;  // in tables, as nccl-tests has it
};

inline constexpr std::array<JudgementRow, 3> kJudgements = {{
    {Judgement::met, "met", "OK"},
    {Judgement::not_met, "not_met", "FAILED"},
    {Judgement::inconclusive, "inconclusive", "INCONCLUSIVE"},
}};
static_assert(in_enum_order(kJudgements, &JudgementRow::judgement));

constexpr const JudgementRow& row_of(Judgement judgement) {
  return kJudgements[static_cast<std::size_t>(judgement)];
}

/// A threshold and what became of it.
struct Verdict {
  std::optional<Bytes> requested_bytes;  // absent: of the average over all rows
  double required_Bps = 0;               // of the average: less what is tolerated
  std::optional<double> found_Bps;       // the average, or the slowest row's of the size
  Judgement judgement = Judgement::inconclusive;

  bool operator==(const Verdict&) const = default;
};

/// Of the average of some rows; nothing where no average is asked for.
std::optional<Verdict> judge_average(const Thresholds& thresholds, const Summary& summary);

/// One verdict per threshold, that of the average first. Rows of status `ok` count; where none of
/// them has a bus bandwidth (one rank, nothing measured) the verdict is inconclusive. Of groups of
/// ranks the worst one counts.
///
/// Of a soak all cycles count. A size has to be fast enough in each of at most 64 stretches of
/// neighbouring cycles, by the median of the stretch (stretch_medians): one disturbed cycle of
/// thousands fails nobody, and a device that slows down for a while does.
std::vector<Verdict> judge(const Thresholds& thresholds, std::span<const Record> rows,
                           std::span<const CycleRow> cycles = {});

/// How a run with these ends: verdict_failed before inconclusive, ok when all are met.
ExitStatus status_of(std::span<const Verdict> verdicts);

}  // namespace collbench
