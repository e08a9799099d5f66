// SPDX-License-Identifier: Apache-2.0
// SweepReport: what rank 0 tells of a sweep while it runs: the table, the result file, progress.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run_report.h"
#include "app/sweep_progress.h"
#include "base/clock.h"
#include "cli/collective_options.h"
#include "results/document.h"
#include "results/table.h"

namespace collbench {

class SweepReport final : public RunReport {
 public:
  SweepReport(RunContext& run, const CollectiveOptions& options, Clock& clock);

  /// `rows` is how many lines the table will have; absent where time decides that.
  void begin(const std::vector<std::string>& notes, std::optional<std::size_t> rows);
  void end();

  /// A line of the table: both placements of a row.
  void show(const Record& out_of_place, const Record& in_place);
  void row_done();

  void keep(const Record& record) { RunReport::keep(document().rows, record); }
  void keep(const CycleRow& cycle) { RunReport::keep(document().cycles, cycle); }

 private:
  const CollectiveOptions& options_;
  Clock& clock_;
  const TableStyle style_;
  std::optional<SweepProgress> progress_;
};

}  // namespace collbench
