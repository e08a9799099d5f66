// SPDX-License-Identifier: Apache-2.0
// `collbench validate`: whether result files can be read, and whether their runs wrote their end.
#include <fmt/format.h>

#include <string>

#include "base/one_line.h"
#include "results/cycle_summary.h"
#include "results/result_file.h"
#include "tools/commands.h"

namespace collbench {
namespace {

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string rows(const Document& document) {
  if (document.config.pattern) return counted(document.steps.size(), "step");
  const std::string text = counted(document.rows.size(), "row");
  if (document.cycles.empty()) return text;
  return text + ", " + counted(summarize_cycles(document.cycles).begun, "cycle");
}

ExitStatus validate(const std::string& file) {
  const Document document = read_document(file);
  if (document.incomplete) {
    fmt::print("{}: incomplete, {} so far: the run was killed, or is still going\n", one_line(file),
               rows(document));
    return ExitStatus::verdict_failed;
  }
  fmt::print("{}: valid, {}, status {}\n", one_line(file), rows(document),
             name_of(document.run.status));
  return ExitStatus::ok;
}

/// Every file gets its line, also after one that cannot be read.
ExitStatus validate_or_say_why(const std::string& file) {
  try {
    return validate(file);
  } catch (const UserError& error) {
    print_message(error.what());
    return ExitStatus::user_error;
  }
}

}  // namespace

ExitStatus run(const ValidateOptions& options) {
  ExitStatus worst = ExitStatus::ok;
  for (const std::string& file : options.files) {
    const ExitStatus status = validate_or_say_why(file);
    if (static_cast<int>(status) > static_cast<int>(worst)) worst = status;
  }
  return worst;
}

}  // namespace collbench
