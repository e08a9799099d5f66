// SPDX-License-Identifier: Apache-2.0
#include "cli/ab_options.h"

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "cli/numbers.h"

namespace collbench {
namespace {

using Words = std::vector<std::string>;

/// What stands before the first "--", between the two, and behind the second. A third is of the
/// second command.
struct Parts {
  Words flags, base, candidate;
  int separators = 0;
};

Parts split(const Words& arguments) {
  Parts parts;
  const std::array<Words*, 3> all = {&parts.flags, &parts.base, &parts.candidate};
  for (const std::string& word : arguments) {
    if (word == "--" && parts.separators < 2) {
      ++parts.separators;
    } else {
      all[static_cast<std::size_t>(parts.separators)]->push_back(word);
    }
  }
  return parts;
}

}  // namespace

std::optional<std::string> parse(CommandLine& line, const Words& arguments, AbOptions& options) {
  constexpr std::uint64_t kMostRuns = 1000;
  std::optional<std::string> runs, folder, timeout;
  line.heading("Launching");
  line.value("--runs", runs, "launches of each command (5)");
  line.value("--keep", folder, "a new folder for the files of all launches (they are removed)");
  line.completed_by_files();
  line.value("--launch-timeout", timeout, "seconds after which a launch is ended (none)");
  ComparingFlags comparing;
  comparing.declare(line);
  line.note(
      "Each command is started as it stands, with -J FILE behind it. A, B, B, A, and so on: what "
      "changes slowly on the machine changes both sides.");
  Parts parts = split(arguments);
  if (auto help = line.parse(parts.flags)) return help;
  if (parts.base.empty() || parts.candidate.empty()) {
    throw UserError(
        "two commands are needed, each behind a --, as in collbench ab --runs 5 -- mpirun -np 2 "
        "old/all_reduce_perf -- mpirun -np 2 new/all_reduce_perf");
  }
  if (runs) options.runs = parse_count(*runs, "--runs", 1, kMostRuns);
  if (timeout) options.launch_timeout_s = parse_seconds(*timeout, "--launch-timeout");
  if (folder && folder->empty()) throw UserError("--keep: the folder's name is empty");
  options.folder = folder.value_or("");
  options.base = std::move(parts.base);
  options.candidate = std::move(parts.candidate);
  options.comparing = comparing.options();
  return std::nullopt;
}

}  // namespace collbench
