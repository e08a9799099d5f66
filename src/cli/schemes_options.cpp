// SPDX-License-Identifier: Apache-2.0
#include "cli/schemes_options.h"

#include "base/errors.h"
#include "base/named_rows.h"

namespace collbench {

std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 SchemesOptions& options) {
  std::optional<std::string> memory, format, output;
  line.value("--memory", memory,
             "what a rank has, as 80G: schemes that need more are named and never chosen");
  line.value("--format", format, list_names(kSchemesFormats) + " (text)");
  line.value("-o,--output", output, "a file to write instead of stdout");
  line.completed_by_files();
  line.operands("FILE", options.files, "what patterns wrote with -J, or folders of such files");
  if (auto help = line.parse(arguments)) return help;
  if (memory) {
    options.memory = parse_bytes(*memory, "--memory");
    if (*options.memory == 0) throw UserError("--memory: a rank has at least a byte");
  }
  if (format) {
    options.format = find_named(kSchemesFormats, *format, "--format", "format").format;
  }
  options.output = output.value_or("");
  return std::nullopt;
}

}  // namespace collbench
