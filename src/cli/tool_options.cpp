// SPDX-License-Identifier: Apache-2.0
#include "cli/tool_options.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/errors.h"
#include "base/named_rows.h"
#include "base/version.h"
#include "cli/collective_options.h"
#include "cli/command_line.h"
#include "cli/completion.h"
#include "traffic/program_name.h"

namespace collbench {
namespace {

using Arguments = std::vector<std::string>;

struct Subcommand;
ToolCommand parse_validate(const Subcommand& row, const Arguments& arguments);
ToolCommand parse_show(const Subcommand& row, const Arguments& arguments);
ToolCommand parse_schema(const Subcommand& row, const Arguments& arguments);
ToolCommand parse_convert(const Subcommand& row, const Arguments& arguments);
ToolCommand parse_completion(const Subcommand& row, const Arguments& arguments);
ToolCommand parse_fit(const Subcommand& row, const Arguments& arguments);
template <class Options>
ToolCommand parse_options(const Subcommand& row, const Arguments& arguments);

struct Subcommand {
  std::string_view name;
  std::string_view summary;
  std::string_view details;
  ToolCommand (*parse)(const Subcommand& row, const Arguments& arguments);
};

constexpr std::array<Subcommand, 9> kSubcommands = {{
    {"validate", "check that result files are whole",
     "Exit status: 0 all are valid; 1 all can be read, but a run has not written its end; 2 a file "
     "cannot be read.",
     parse_validate},
    {"show", "print result files as tables",
     "The table is that of the run itself, followed by what is known of the run and its hosts.",
     parse_show},
    {"convert", "print result files in the format of other programs",
     "nccl-tests is the table as that program prints it; csv has one line per row.", parse_convert},
    {"completion", "print a script that completes command lines in a shell",
     "For bash: source <(collbench completion bash). `make install` puts both in their places.",
     parse_completion},
    {"schema", "print the JSON Schema of result files",
     "It is closed, to check what is written; readers ignore fields they do not know.",
     parse_schema},
    {"fit", "print latency and bandwidth of measured operations, for --links of the patterns",
     "By operation, ranks and nodes, in up to three pieces by size; rows in place are left out. "
     "Exit "
     "status 6 when there is nothing to fit.",
     parse_fit},
    {"models", "print sizes, memory and arithmetic of models",
     "Without flags: all that are built in. With --model or --model-file: that one; with a layout, "
     "what a rank holds of it, by the accounting of each framework.",
     parse_options<ModelsOptions>},
    {"layout", "print which ranks form a group, and on which nodes",
     "With a model, refuses what cannot train it, and says why.", parse_options<LayoutOptions>},
    {"traffic", "print what a rank sends in each scheme of parallelism",
     "Closed forms of one optimizer step, without running anything: alternatives stand side by "
     "side, and what a run has is a choice of them. MB is 1e6 bytes.",
     parse_options<TrafficOptions>},
}};

CommandLine command_line(const Subcommand& row) {
  return CommandLine(fmt::format("collbench {}", row.name),
                     fmt::format("collbench {}: {}.\n{}", row.name, row.summary, row.details));
}

template <class Options>
ToolCommand parse_files(const Subcommand& row, const Arguments& arguments) {
  Options options;
  CommandLine line = command_line(row);
  line.operands("FILE", options.files, "what a benchmark wrote with -J");
  if (auto help = line.parse(arguments)) return PrintText{std::move(*help)};
  return options;
}

template <class Options>
ToolCommand parse_options(const Subcommand& row, const Arguments& arguments) {
  Options options;
  CommandLine line = command_line(row);
  if (auto help = parse(line, arguments, options)) return PrintText{std::move(*help)};
  return options;
}

ToolCommand parse_validate(const Subcommand& row, const Arguments& arguments) {
  return parse_files<ValidateOptions>(row, arguments);
}

ToolCommand parse_show(const Subcommand& row, const Arguments& arguments) {
  return parse_files<ShowOptions>(row, arguments);
}

ToolCommand parse_schema(const Subcommand& row, const Arguments& arguments) {
  if (auto help = command_line(row).parse(arguments)) return PrintText{std::move(*help)};
  return SchemaOptions{};
}

ToolCommand parse_convert(const Subcommand& row, const Arguments& arguments) {
  ConvertOptions options;
  std::optional<std::string> format;
  CommandLine line = command_line(row);
  line.value("--to", format, "the format: " + list_names(kConvertFormats));
  line.operands("FILE", options.files, "what a benchmark wrote with -J");
  if (auto help = line.parse(arguments)) return PrintText{std::move(*help)};
  if (!format) {
    throw UserError(fmt::format("--to is missing; choose from {}", list_names(kConvertFormats)));
  }
  options.format = find_named(kConvertFormats, *format, "--to", "format").format;
  return options;
}

ToolCommand parse_completion(const Subcommand& row, const Arguments& arguments) {
  std::vector<std::string> shells;
  CommandLine line = command_line(row);
  line.operands("SHELL", shells, list_names(kShells));
  if (auto help = line.parse(arguments)) return PrintText{std::move(*help)};
  if (shells.size() != 1)
    throw UserError("one shell at a time; choose from " + list_names(kShells));
  const Shell shell = find_named(kShells, shells[0], "completion", "shell").shell;
  CompletedPrograms programs = {{}, collective_flags()};
  for (const traffic::Traffic& traffic : traffic::kAll) {
    programs.names.push_back(traffic::program_name(traffic));
  }
  std::vector<std::string> subcommands;
  for (const Subcommand& subcommand : kSubcommands) subcommands.emplace_back(subcommand.name);
  return PrintText{completion_script(shell, programs, subcommands)};
}

ToolCommand parse_fit(const Subcommand& row, const Arguments& arguments) {
  return parse_files<FitOptions>(row, arguments);
}

std::string help() {
  std::string text =
      "collbench reads the result files of benchmarks, and says what follows from models and "
      "layouts without a run. It needs neither MPI nor a GPU.\n\nUsage: collbench SUBCOMMAND "
      "...\n\n";
  for (const Subcommand& row : kSubcommands) {
    text += fmt::format("  {:<12}{}\n", row.name, row.summary);
  }
  return text +
         "\ncollbench SUBCOMMAND --help says more; collbench --version says which build this is.\n";
}

}  // namespace

ToolCommand parse_tool_command(const Arguments& arguments) {
  if (arguments.empty()) {
    throw UserError(fmt::format("a subcommand is missing; choose from {}; see --help",
                                list_names(kSubcommands)));
  }
  const std::string& first = arguments.front();
  if (first == "-h" || first == "--help") return PrintText{help()};
  if (first == "--version") return PrintText{version_text()};
  if (first.starts_with("-")) {
    throw UserError(fmt::format("unknown flag '{}'; see --help", first));
  }
  for (const Subcommand& row : kSubcommands) {
    if (row.name == first) return row.parse(row, {arguments.begin() + 1, arguments.end()});
  }
  throw UserError(
      fmt::format("'{}' is no subcommand; choose from {}", first, list_names(kSubcommands)));
}

}  // namespace collbench
