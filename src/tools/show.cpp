// SPDX-License-Identifier: Apache-2.0
// `collbench show`: result files as the tables that their runs printed, and what is known of them.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "cli/terminal.h"
#include "import/result_set.h"
#include "results/cycle_table.h"
#include "results/row_flags.h"
#include "results/spread_table.h"
#include "results/step_table.h"
#include "results/table.h"
#include "tools/commands.h"

namespace collbench {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + word;
  return text;
}

std::string describe(const RunFacts& run) {
  std::string text = comment_line(fmt::format("Run {}", run.id));
  if (!run.imported_from.empty()) {
    return text + comment_line(fmt::format("  imported from {}, status {}", run.imported_from,
                                           name_of(run.status)));
  }
  std::string times = fmt::format("  started {}", run.started);
  if (!run.ended.empty()) times += fmt::format(", ended {}", run.ended);
  times += fmt::format(", status {}", name_of(run.status));
  if (run.exit_status) times += fmt::format(", exit status {}", *run.exit_status);
  return text + comment_line(times) +
         comment_line(fmt::format("  collbench {}, commit {}, {}, {}", run.version, run.git_commit,
                                  run.compiler, run.flags));
}

std::string describe(const RunConfig& config) {
  const std::string mode = config.pattern ? "" : ", mode " + config.mode;
  return comment_line(fmt::format("  command {}{}", config.program, joined(config.arguments))) +
         comment_line(fmt::format("  backend {}, waiting by {}{}", config.backend,
                                  config.wait_policy, mode));
}

std::string describe(const Environment& environment) {
  std::string text;
  for (const HostFacts& host : environment.hosts) {
    if (host.cores == 0) {  // of another program, which did not say
      text += comment_line("Host " + host.name);
      continue;
    }
    text += comment_line(fmt::format("Host {}: {}, {} cores, {}, {}, topology {}", host.name,
                                     host.cpu_model, host.cores, format_bytes(host.memory_bytes),
                                     host.kernel, host.topology_digest));
  }
  for (const auto& [name, library] : environment.libraries) {
    text += comment_line(fmt::format("Library {}: {}", name, library));
  }
  for (const auto& [name, value] : environment.variables) {
    text += comment_line(fmt::format("Variable {}={}", name, value));
  }
  return text;
}

/// Of a run of a scheme of parallelism.
std::string step_tables(const Document& document) {
  std::string text = step_header(document);
  for (const StepRecord& step : document.steps) text += step_table(step);
  if (document.scaling) text += scaling_table(*document.scaling);
  text += "#\n";
  for (const std::string& line : explain_flags(document.steps, document.config.sampling)) {
    text += comment_line(line);
  }
  if (document.incomplete) text += comment_line("incomplete: the run was killed, or still goes on");
  return text + "#\n\n";
}

std::string tables(const Document& document, const TableStyle& style) {
  if (document.config.pattern) return step_tables(document);
  return table_header(document, {}, style) + table_rows(document.rows, style) +
         cycle_table(document.cycles, style) + table_footer(document, style) +
         spread_table(document.rows);
}

void show(const std::string& file, const TableStyle& style) {
  for (const Document& document : read_results(file)) {
    fmt::print("{}{}{}{}{}", tables(document, style), comment_line("File " + file),
               describe(document.run), describe(document.config), describe(document.environment));
  }
}

}  // namespace

ExitStatus run(const ShowOptions& options) {
  const TableStyle style = {.colour = terminal_of(STDOUT_FILENO, std::getenv).colour};
  for (const std::string& name : options.files) {
    for (const std::string& file : result_files(name)) show(file, style);
  }
  return ExitStatus::ok;
}

}  // namespace collbench
