// SPDX-License-Identifier: Apache-2.0
// SweepReport: what rank 0 tells of a sweep while it runs: the table, the result file, progress.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run_main.h"
#include "app/sweep_progress.h"
#include "base/clock.h"
#include "cli/collective_options.h"
#include "results/document.h"
#include "results/table.h"

namespace collbench {

/// One per rank, so that all go through the same steps; those of ranks other than 0 say nothing.
class SweepReport {
 public:
  SweepReport(RunContext& run, const CollectiveOptions& options, Clock& clock);

  /// Everything that the run leaves behind; rows on rank 0 only.
  Document& document() { return document_; }

  /// Makes the result file, if one is asked for. Throws UserError, the same on every rank.
  /// Collective over the run.
  void open_file();

  /// `rows` is how many lines the table will have; absent where time decides that.
  void begin(const std::string& note, std::optional<std::size_t> rows);
  void end();

  /// A line of the table: both placements of a row.
  void show(const Record& out_of_place, const Record& in_place);
  void row_done();

  void keep(const Record& record) { keep(document_.rows, record); }
  void keep(const CycleRow& cycle) { keep(document_.cycles, cycle); }

 private:
  bool speaks() const { return control_.rank() == 0; }
  void print(const std::string& text);

  template <class Line>
  void keep(std::vector<Line>& lines, const Line& line);

  RunContext& run_;
  ControlPlane& control_;
  const CollectiveOptions& options_;
  Clock& clock_;
  const TableStyle style_;
  std::optional<SweepProgress> progress_;
  Document document_;
  ResultFile* file_ = nullptr;
  bool ended_ = false;  // by the watchdog, while this thread goes on
};

}  // namespace collbench
