// SPDX-License-Identifier: Apache-2.0
#include "cli/scaling_options.h"

#include "cli/numbers.h"
#include "model/layout.h"

namespace collbench {

std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 ScalingOptions& options) {
  std::optional<std::string> base, output;
  line.value("--base", base, "how many ranks the others are compared with (the fewest)");
  line.flag("--json", options.json, "as JSON, see results/schema/scaling-1.schema.json");
  line.value("-o,--output", output, "a file to write instead of stdout");
  line.completed_by_files();
  line.operands("FILE", options.files, "what benchmarks wrote with -J, or folders of such files");
  if (auto help = line.parse(arguments)) return help;
  if (base) {
    options.base_ranks = static_cast<int>(parse_count(*base, "--base", 1, model::kMostRanks));
  }
  options.output = output.value_or("");
  return std::nullopt;
}

}  // namespace collbench
