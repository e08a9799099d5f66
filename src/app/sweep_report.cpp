// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_report.h"

#include <unistd.h>

#include <cstdlib>

#include "app/agreement.h"
#include "app/ways_out.h"
#include "cli/terminal.h"
#include "results/cycle_table.h"
#include "results/result_file.h"

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
    : run_(run),
      control_(run.control()),
      options_(options),
      clock_(clock),
      style_(style_of(options.table)) {}

void SweepReport::open_file() {
  if (options_.json_path.empty()) return;
  together(control_, [&] {
    if (!speaks()) return;
    file_ =
        run_.own([&] { return ResultFile::create(options_.json_path, document_, options_.force); });
    ended_ = file_ == nullptr;
  });
}

void SweepReport::begin(const std::string& note, std::optional<std::size_t> rows) {
  print(table_header(document_, std::vector{note}, style_));
  if (!speaks()) return;
  progress_.emplace(
      settled(options_.table.progress, isatty(STDERR_FILENO) == 1, isatty(STDOUT_FILENO) == 1),
      document_.config.program, rows, clock_);
}

void SweepReport::end() {
  if (progress_) write_stderr_if_ready(progress_->end());
  print(cycle_table(document_.cycles, style_) + table_footer(document_, style_));
}

void SweepReport::show(const Record& out_of_place, const Record& in_place) {
  print(table_row(out_of_place, in_place, style_));
}

void SweepReport::row_done() {
  if (progress_) write_stderr_if_ready(progress_->row_done());
}

void SweepReport::print(const std::string& text) {
  // A watchdog that ends the run has finished the file: the table must not go beyond it.
  if (speaks() && !ended_) run_.print(text);
}

template <class Line>
void SweepReport::keep(std::vector<Line>& lines, const Line& line) {
  if (!speaks()) return;
  lines.push_back(line);
  if (file_ == nullptr) return;
  run_.progress().enter("writing " + options_.json_path, step_limit_s(options_.timeout_s, 0));
  ended_ = !file_->append(line);
}

template void SweepReport::keep(std::vector<Record>&, const Record&);
template void SweepReport::keep(std::vector<CycleRow>&, const CycleRow&);

}  // namespace collbench
