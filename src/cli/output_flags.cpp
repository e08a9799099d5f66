// SPDX-License-Identifier: Apache-2.0
#include "cli/output_flags.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/numbers.h"
#include "cli/sampling_flags.h"

namespace collbench {

void OutputFlags::declare(CommandLine& line) {
  const NcclTestsDefaults theirs;
  line.value("-S,--report_timestamps", timestamps_,
             "1: the local time at the end of each row (default 0)");
  line.flag("--stats", choice_.statistics,
            "how well each time is known, and the slowest rank; below the row if the terminal is "
            "narrow");
  line.flag(
      "--nccl-compat", choice_.nccl_compat,
      fmt::format("-n {} -w {} -a {} unless given, and no line that nccl-tests does not print",
                  theirs.iterations, theirs.warmup, static_cast<int>(theirs.aggregation)));
  line.value(
      "--progress", progress_,
      fmt::format("of a long sweep, on stderr: {} (default auto: a bar on a terminal, else a "
                  "line every 30 s)",
                  list_names(kProgressChoices)));
}

TableChoice OutputFlags::read() const {
  TableChoice choice = choice_;
  if (timestamps_) choice.timestamps = parse_switch(*timestamps_, "-S");
  if (progress_) {
    choice.progress =
        find_named(kProgressChoices, *progress_, "--progress", "kind of progress").choice;
  }
  if (choice.statistics && choice.nccl_compat) {
    throw UserError("--stats and --nccl-compat: nccl-tests has no such columns; give one of them");
  }
  return choice;
}

}  // namespace collbench
