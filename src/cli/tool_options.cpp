// SPDX-License-Identifier: Apache-2.0
#include "cli/tool_options.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/errors.h"
#include "base/named_rows.h"
#include "base/version.h"
#include "cli/collective_options.h"
#include "cli/comm_init_options.h"
#include "cli/command_line.h"
#include "cli/completion.h"
#include "cli/memcpy_options.h"
#include "cli/pattern_options.h"
#include "results/schema.h"
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

constexpr auto kSubcommands = std::to_array<Subcommand>({
    {"validate", "check that result files are whole",
     "Exit status: 0 all are valid; 1 all can be read, but a run has not written its end; 2 a file "
     "cannot be read.",
     parse_validate},
    {"show", "print result files as tables",
     "The table is that of the run itself, followed by what is known of the run and its hosts.",
     parse_show},
    {"convert", "print result files in the format of other programs",
     "nccl-tests is the table as that program prints it; csv has one line per row.", parse_convert},
    {"merge", "put several runs into one file",
     "Each run stays as it is, once by its id; one that never wrote its end stays incomplete. All "
     "subcommands read such a file like the files themselves.",
     parse_options<MergeOptions>},
    {"compare", "say what became slower: compare BASE... -- NEW...",
     "Each file is a launch; 5 of each side find a slowdown of 5 % of a collective, 10 that of one "
     "row. Exit status: 0 no regression; 1 a regression, or an error; 2 a file cannot be read; 6 "
     "nothing is comparable, or too uncertain where --fail-on asks. docs/comparing.md says more.",
     parse_options<CompareToolOptions>},
    {"import", "turn what other programs printed into result files",
     "Of nccl-tests, the OSU Micro-Benchmarks and IMB-MPI1; see docs/importing.md. Output of "
     "nccl-tests that tells its ranks is read by all subcommands as it is.",
     parse_options<ImportOptions>},
    {"completion", "print a script that completes command lines in a shell",
     "For bash: source <(collbench completion bash). `make install` puts both in their places.",
     parse_completion},
    {"schema", "print the JSON Schema of result files, or of what tools write",
     "It is closed, to check what is written; readers ignore fields they do not know.",
     parse_schema},
    {"fit", "print latency and bandwidth of measured operations, for --links of the patterns",
     "By operation, ranks and nodes, in up to three pieces by size; rows in place are left out. "
     "Exit "
     "status 6 when there is nothing to fit.",
     parse_fit},
    {"report", "write a page of charts and tables of result files",
     "html is one file that opens offline; text and markdown have its sentences and tables; csv "
     "has "
     "one line per row; prom is for the textfile collector of Prometheus' node exporter.",
     parse_options<ReportOptions>},
    {"scaling", "print what result files of different numbers of ranks say together",
     "Efficiency of steps, latency and bandwidth of collectives over ranks, with fits. Exit status "
     "6 where no two files are the same measurement on different numbers of ranks.",
     parse_options<ScalingOptions>},
    {"schemes", "print schemes of parallelism side by side, and which to choose",
     "Of steps of one model on the same ranks, as scripts/schemes.sh measures them: memory, bytes, "
     "time, and what it is made of. Exit status 6 where no step was measured.",
     parse_options<SchemesOptions>},
    {"ab", "start two commands in turns, and compare what they measured",
     "collbench ab --runs 5 -- COMMAND_A -- COMMAND_B. Ends as collbench compare does, or with the "
     "status of the first launch that fails.",
     parse_options<AbOptions>},
    {"baseline", "keep the latest good launches, to hold new ones against",
     "add puts launches into a file of JSON Lines, unless they are slower than what is there; show "
     "says how noisy rows are, and how far they moved; prune drops the oldest. Exit status 1 where "
     "a launch was not added.",
     parse_options<BaselineOptions>},
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
    {"routing", "print which rows the tokens of a layer of experts send from rank to rank",
     "Draws what each token chooses, or reads it from a file, and counts rows, bytes and imbalance "
     "of each way to send them, beside what formulas expect. docs/patterns/routing.md says more.",
     parse_options<RoutingOptions>},
});

CommandLine command_line(const Subcommand& row) {
  return CommandLine(fmt::format("collbench {}", row.name),
                     fmt::format("collbench {}: {}.\n{}", row.name, row.summary, row.details));
}

constexpr const char* kFileHelp = "what a benchmark wrote with -J, or a folder of *.json";

template <class Options>
ToolCommand parse_files(const Subcommand& row, const Arguments& arguments) {
  Options options;
  CommandLine line = command_line(row);
  line.operands("FILE", options.files, kFileHelp);
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
  SchemaOptions options;
  CommandLine line = command_line(row);
  std::optional<std::string> of;
  line.value("--of", of,
             "which one: " + list_names(schemas()) +
                 " (results); result-set is of what merge writes, the last two are of compare and "
                 "scaling");
  std::vector<std::string> names;
  for (const SchemaRow& schema : schemas()) names.emplace_back(schema.name);
  line.completed_by(std::move(names));
  if (auto help = line.parse(arguments)) return PrintText{std::move(*help)};
  if (of) options.of = find_named(schemas(), *of, "--of", "schema").name;
  return options;
}

ToolCommand parse_convert(const Subcommand& row, const Arguments& arguments) {
  ConvertOptions options;
  std::optional<std::string> format;
  CommandLine line = command_line(row);
  line.value("--to", format, "the format: " + list_names(kConvertFormats));
  line.operands("FILE", options.files, kFileHelp);
  if (auto help = line.parse(arguments)) return PrintText{std::move(*help)};
  if (!format) {
    throw UserError(fmt::format("--to is missing; choose from {}", list_names(kConvertFormats)));
  }
  options.format = find_named(kConvertFormats, *format, "--to", "format").format;
  return options;
}

// The names of the schemes of parallelism that have a program.
constexpr std::string_view kPatterns[] = {
#include "patterns.inc"
};

// What takes the same flags is completed by the same function.
std::vector<CompletedPrograms> completed_programs() {
  CompletedPrograms collectives = {{}, collective_flags()};
  for (const traffic::Traffic& traffic : traffic::kAll) {
    collectives.names.push_back(traffic::program_name(traffic));
  }
  CompletedPrograms patterns = {{}, pattern_flags()};
  for (const std::string_view pattern : kPatterns) {
    patterns.names.push_back(fmt::format("{}_perf", pattern));
  }
  return {collectives,
          {{std::string(kCommInitProgram)}, comm_init_flags()},
          {{std::string(kMemcpyProgram)}, memcpy_flags()},
          patterns};
}

ToolCommand parse_completion(const Subcommand& row, const Arguments& arguments) {
  std::vector<std::string> shells;
  CommandLine line = command_line(row);
  line.operands("SHELL", shells, list_names(kShells));
  if (auto help = line.parse(arguments)) return PrintText{std::move(*help)};
  if (shells.size() != 1)
    throw UserError("one shell at a time; choose from " + list_names(kShells));
  const Shell shell = find_named(kShells, shells[0], "completion", "shell").shell;
  const std::vector<CompletedPrograms> programs = completed_programs();
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
