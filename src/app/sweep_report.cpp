// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_report.h"

#include <unistd.h>

#include <cstdlib>

#include "app/ways_out.h"
#include "cli/terminal.h"
#include "results/cycle_table.h"
#include "results/interference_table.h"

namespace collbench {
namespace {

TableStyle style_of(const TableChoice& choice) {
  const Terminal terminal = terminal_of(STDOUT_FILENO, std::getenv);
  return {.nccl_tests = choice.nccl_compat,
          .timestamps = choice.timestamps,
          .statistics = choice.statistics,
          .width = terminal.width,
          .colour = terminal.colour};
}

}  // namespace

SweepReport::SweepReport(RunContext& run, const CollectiveOptions& options, Clock& clock)
    : RunReport(run, options), options_(options), clock_(clock), style_(style_of(options.table)) {}

void SweepReport::begin(const std::vector<std::string>& notes, std::optional<std::size_t> rows) {
  print(table_header(document(), notes, style_));
  if (!speaks()) return;
  progress_.emplace(
      settled(options_.table.progress, isatty(STDERR_FILENO) == 1, isatty(STDOUT_FILENO) == 1),
      document().config.program, rows, clock_);
}

void SweepReport::end() {
  if (progress_) write_stderr_if_ready(progress_->end());
  print(interference_table(document()) + cycle_table(document().cycles, style_) +
        table_footer(document(), style_));
}

void SweepReport::show(const Record& out_of_place, const Record& in_place) {
  print(table_row(out_of_place, in_place, style_));
}

void SweepReport::row_done() {
  if (progress_) write_stderr_if_ready(progress_->row_done());
}

}  // namespace collbench
