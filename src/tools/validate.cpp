// SPDX-License-Identifier: Apache-2.0
// `collbench validate`: whether result files can be read, and whether their runs wrote their end.
#include <fmt/format.h>

#include <string>

#include "base/one_line.h"
#include "import/result_set.h"
#include "results/cycle_summary.h"
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

ExitStatus validate(const std::string& file, const Document& document) {
  if (document.incomplete) {
    fmt::print("{}: incomplete, {} so far: the run was killed, or is still going\n", one_line(file),
               rows(document));
    return ExitStatus::verdict_failed;
  }
  fmt::print("{}: valid, {}, status {}\n", one_line(file), rows(document),
             name_of(document.run.status));
  return ExitStatus::ok;
}

ExitStatus worse(ExitStatus one, ExitStatus other) {
  return static_cast<int>(one) > static_cast<int>(other) ? one : other;
}

ExitStatus validate_file(const std::string& file) {
  ExitStatus worst = ExitStatus::ok;
  for (const Document& document : read_results(file)) {
    worst = worse(worst, validate(file, document));
  }
  return worst;
}

/// A file gets its line also after one that cannot be read.
template <class Validate>
ExitStatus or_say_why(Validate validate) {
  try {
    return validate();
  } catch (const UserError& error) {
    print_message(error.what());
    return ExitStatus::user_error;
  }
}

ExitStatus validate_all(const std::string& name) {
  ExitStatus worst = ExitStatus::ok;
  for (const std::string& file : result_files(name)) {
    worst = worse(worst, or_say_why([&] { return validate_file(file); }));
  }
  return worst;
}

}  // namespace

ExitStatus run(const ValidateOptions& options) {
  ExitStatus worst = ExitStatus::ok;
  for (const std::string& name : options.files) {
    worst = worse(worst, or_say_why([&] { return validate_all(name); }));
  }
  return worst;
}

}  // namespace collbench
