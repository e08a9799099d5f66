// SPDX-License-Identifier: Apache-2.0
#include "results/spread_table.h"

#include <fmt/format.h>

#include "results/operation_rows.h"
#include "results/row_pair.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

constexpr std::string_view kHeading =
    "# Spread of the times: +- is half of the median's 95 % interval within this launch, n the "
    "number of samples\n"
    "#                                                          out-of-place         in-place\n"
    "#       size         count      type   redop    root       +-       n       +-       n\n"
    "#        (B)    (elements)                                (%)              (%)\n";

std::string half_width(const Timing& timing) {
  if (!timing.interval95_s || timing.median_s <= 0) return "N/A";
  const double share = statistics::relative_half_width(*timing.interval95_s, timing.median_s);
  return fmt::format("{:.2f}", 100 * share);
}

std::string placement(const Record* row) {
  if (!is_measured(row)) return fmt::format("  {:>7}  {:>6}", "N/A", "N/A");
  return fmt::format("  {:>7}  {:>6}", half_width(*row->timing), row->timing->samples_s.size());
}

}  // namespace

std::string spread_table(std::span<const Record> rows) {
  std::string lines;
  for (const RowPair& pair : pair_rows(rows)) {
    const Record* measured = pair.measured();
    if (measured == nullptr || is_of_operation(measured->key)) continue;  // on their own line
    lines += group_line(measured->key.group);
    lines += fmt::format("#{}{}{}\n", key_columns(measured->key, measured->key.message_bytes, 11),
                         placement(pair.out_of_place), placement(pair.in_place));
  }
  return lines.empty() ? "" : std::string(kHeading) + lines + "#\n";
}

}  // namespace collbench
