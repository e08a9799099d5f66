// SPDX-License-Identifier: Apache-2.0
#include "app/operation_run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "app/run_environment.h"
#include "app/run_facts.h"
#include "base/clock.h"
#include "cli/terminal.h"
#include "measure/method.h"
#include "results/operation_rows.h"
#include "results/row_flags.h"
#include "results/table.h"

namespace collbench {
namespace {

TableStyle style() { return {.colour = terminal_of(STDOUT_FILENO, std::getenv).colour}; }

/// Hosts of the run's first ranks.
int hosts_of(const Environment& environment, int ranks) {
  std::set<int> hosts;
  for (const RankFacts& rank : environment.ranks) {
    if (rank.rank < ranks) hosts.insert(rank.host);
  }
  return static_cast<int>(hosts.size());
}

}  // namespace

OperationRun::OperationRun(RunContext& run, const BackendOfRun& backend,
                           const OperationCommand& command)
    : run_(run),
      running_(command.running),
      note_(backend.note()),
      report_(run, command.running),
      backend_(backend.process().make_backend(run.seat())),
      device_(backend_->make_device({.one_stream = true, .wait = command.running.wait})),
      ranks_per_process_(command.gpu.ranks_per_process()) {
  describe(command);
}

void OperationRun::describe(const OperationCommand& command) {
  Document& document = report_.document();
  document.run = new_run_facts();
  document.environment = gather_environment(run_.control(), device_->facts());
  document.environment.libraries = backend_->libraries();
  document.environment.libraries["mpi"] = run_.session().mpi_library();
  RunConfig& config = document.config;
  config.program = command.program;
  config.arguments = command.arguments;
  config.backend = backend_->name();
  config.wait_policy = name_of(backend_->wait_policy());
  config.aggregation = name_of(Aggregation::max);
  config.mode = kModeOfEachRow;
  config.threads_per_process = command.gpu.threads;
  config.gpus_per_thread = command.gpu.gpus_per_thread;
}

void OperationRun::begin() {
  report_.open_file();
  report_.print(table_header(report_.document(), std::vector{note_}, style()));
}

Record OperationRun::blank(std::string_view operation, std::string_view mode, int ranks) const {
  Record record;
  record.key.collective = operation;
  record.key.type = DataType::uint8;
  record.key.ranks = ranks;
  record.key.nodes = hosts_of(report_.document().environment, ranks);
  record.key.backend = backend_->name();
  record.key.mode = mode;
  record.key.ranks_per_process = ranks_per_process_;
  if (backend_->oversubscribed()) record.flags.emplace_back(row_flags::oversubscribed.name);
  return record;
}

void OperationRun::keep(Record record) {
  if (!report_.speaks()) return;
  record.ended = utc_now_rfc3339();
  report_.keep(report_.document().rows, record);
  report_.print(operation_line(record, style()));
}

ExitStatus OperationRun::end() {
  report_.print(table_footer(report_.document(), style()));
  const bool wrong = std::ranges::any_of(
      report_.document().rows, [](const Record& row) { return row.status == RowStatus::wrong; });
  return wrong ? ExitStatus::wrong_data : ExitStatus::ok;
}

void OperationRun::enter(const std::string& what, Bytes bytes) {
  run_.progress().enter(what, step_limit_s(running_.timeout_s, slow_move_s(bytes)));
}

}  // namespace collbench
