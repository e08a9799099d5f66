// SPDX-License-Identifier: Apache-2.0
#include "cli/baseline_options.h"

#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/numbers.h"

namespace collbench {
namespace {

void read_operands(const std::vector<std::string>& operands, BaselineOptions& options) {
  options.action = find_named(kBaselineActions, operands[0], "collbench baseline", "action").action;
  if (operands.size() < 2) {
    throw UserError("the baseline's file is missing, as in collbench baseline show base.jsonl");
  }
  options.baseline = operands[1];
  options.files.assign(operands.begin() + 2, operands.end());
  const bool adds = options.action == BaselineAction::add;
  if (adds && options.files.empty()) {
    throw UserError(
        "nothing to add; name files, as in collbench baseline add base.jsonl results.json");
  }
  if (!adds && !options.files.empty()) {
    throw UserError(fmt::format("unexpected operand '{}': {} takes the baseline alone",
                                options.files[0], operands[0]));
  }
}

}  // namespace

std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 BaselineOptions& options) {
  constexpr std::uint64_t kMost = 10'000;
  std::vector<std::string> operands;
  std::optional<std::string> most;
  line.value(
      "--most", most,
      "launches that are kept of each program and machine, the latest (20); of add and prune");
  line.flag("--with-regressions", options.with_regressions,
            "add launches that are slower than the baseline, too");
  line.operands("add|show|prune BASELINE [FILE...]", operands,
                "a file of JSON Lines, and what benchmarks wrote with -J, or folders of them");
  if (auto help = line.parse(arguments)) return help;
  read_operands(operands, options);
  if (most) options.most = parse_count(*most, "--most", 1, kMost);
  if (options.action == BaselineAction::prune && !most) {
    throw UserError("--most is missing: how many launches to keep, as in --most 10");
  }
  if (options.action == BaselineAction::show && most) {
    throw UserError("--most: show removes nothing; leave it out");
  }
  if (options.action != BaselineAction::add && options.with_regressions) {
    throw UserError("--with-regressions: only add has use for it; leave it out");
  }
  return std::nullopt;
}

}  // namespace collbench
