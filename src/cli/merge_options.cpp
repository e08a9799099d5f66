// SPDX-License-Identifier: Apache-2.0
#include "cli/merge_options.h"

#include "base/errors.h"

namespace collbench {

std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 MergeOptions& options) {
  std::optional<std::string> output;
  line.value("-o,--output", output, "the file to write");
  line.completed_by_files();
  line.flag("--force", options.force, "replace that file if it is there");
  line.operands("FILE", options.files, "what a benchmark wrote with -J, or a folder of *.json");
  if (auto help = line.parse(arguments)) return help;
  if (!output) throw UserError("-o is missing; say which file to write");
  options.output = *output;
  return std::nullopt;
}

}  // namespace collbench
