// SPDX-License-Identifier: Apache-2.0
#include "cli/collective_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "base/errors.h"
#include "base/named_rows.h"
#include "base/version.h"
#include "cli/numbers.h"

namespace collbench {
namespace {

// What was typed, before it means anything; absent where a flag was not given.
struct Typed {
  std::map<std::string, std::optional<std::string>> values;
  bool force = false;
  bool dry_run = false;
  bool list = false;
  bool version = false;

  const std::string* find(const std::string& flag) const {
    const auto found = values.find(flag);
    return found == values.end() || !found->second ? nullptr : &*found->second;
  }
};

void add_flags(CLI::App& app, Typed& typed, const traffic::Traffic& traffic) {
  const auto value = [&](const char* flag, const char* names, const std::string& help,
                         const char* group) {
    app.add_option(names, typed.values[flag], help)->group(group)->type_name("");
  };
  const char* sizes = "Sizes (8, 32M, 1.5GiB; all units are powers of 1024)";
  value("-b", "-b,--minbytes", "first message size (default 32M)", sizes);
  value("-e", "-e,--maxbytes", "last message size (default 32M)", sizes);
  value("-i", "-i,--stepbytes", "step between sizes (default 1M)", sizes);
  value("-f", "-f,--stepfactor", "factor between sizes, instead of -i", sizes);
  const char* what = "Operation";
  value("-d", "-d,--datatype", "element type: " + list_names(kDataTypes), what);
  if (traffic.reduces) value("-o", "-o,--op", "reduction: " + list_names(kReduceOps), what);
  value("-c", "-c,--check", "data checks per row, 0 is none (default 1)", what);
  const char* sampling = "Sampling";
  value("-n", "-n,--iters",
        "operations in one sample, without interval (default: samples of 1 ms until the median is "
        "known to 1 %)",
        sampling);
  value("--samples", "--samples", "take exactly so many samples", sampling);
  value("-w", "-w,--warmup_iters",
        "operations before sampling and sizing it (default: at least 5 and 20 ms)", sampling);
  const char* running = "Running";
  value("--backend", "--backend", list_names(kBackendChoices) + " (default auto)", running);
  value("--wait", "--wait", "how hosts wait: " + list_names(kWaitPolicies) + " (default auto)",
        running);
  value("-T", "-T,--timeout", "seconds without progress before giving up, 0 is off (default 120)",
        running);
  value("--start-timeout", "--start-timeout", "seconds for all ranks to start (default 300)",
        running);
  app.add_flag("--dry-run", typed.dry_run, "show the sizes and memory of the run, measure nothing")
      ->group(running);
  const char* output = "Output";
  value("-J", "-J,--output_file", "write the results to this JSON file", output);
  app.add_flag("--force", typed.force, "replace an existing file")->group(output);
  const char* other = "Information";
  app.set_help_flag("-h,--help", "this text")->group(other);
  app.add_flag("--list", typed.list, "the collectives, types and reductions there are")
      ->group(other);
  app.add_flag("--version", typed.version, "the version and how it was built")->group(other);
}

// CLI11 would take the minus of "-n -3" for a flag and complain about that.
void refuse_negative_numbers(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word.size() < 2 || word[0] != '-' || std::isdigit(static_cast<unsigned char>(word[1])) == 0)
      continue;
    throw UserError(fmt::format("{}{}: a negative number has no meaning here",
                                i > 0 ? arguments[i - 1] + " " : "", word));
  }
}

std::optional<std::string> parse_words(CLI::App& app, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();  // "--minbytes: 1 required  missing"
    throw UserError(fmt::format("{}: give it once, with one value; see --help",
                                text.substr(0, text.find(':'))));
  } catch (const CLI::ParseError& error) {
    throw UserError(fmt::format("{}; see --help", error.what()));
  }
  for (const std::string& word : app.remaining()) {
    const bool is_flag = word.size() > 1 && word[0] == '-';
    throw UserError(fmt::format("{} '{}'; see --help for the flags there are",
                                is_flag ? "unknown flag" : "unexpected operand", word));
  }
  return std::nullopt;
}

Sweep sweep_of(const Typed& typed) {
  Sweep sweep;
  if (const auto* text = typed.find("-b")) sweep.min_bytes = parse_bytes(*text, "-b");
  if (const auto* text = typed.find("-e")) sweep.max_bytes = parse_bytes(*text, "-e");
  if (const auto* text = typed.find("-i")) sweep.step_bytes = parse_bytes(*text, "-i");
  if (const auto* text = typed.find("-f")) sweep.factor = parse_count(*text, "-f", 2);
  if (typed.find("-i") != nullptr && typed.find("-f") != nullptr) {
    throw UserError("-i and -f: sizes grow by a step or by a factor; give one of them");
  }
  validate(sweep);
  return sweep;
}

CollectiveOptions options_of(const Typed& typed) {
  CollectiveOptions options;
  options.sweep = sweep_of(typed);
  if (const auto* text = typed.find("-d")) options.type = parse_data_type(*text);
  if (const auto* text = typed.find("-o")) options.op = parse_reduce_op(*text);
  if (const auto* text = typed.find("-n")) options.iterations = parse_count(*text, "-n", 1);
  if (const auto* text = typed.find("-w")) options.warmup = parse_count(*text, "-w", 0);
  if (const auto* text = typed.find("-c")) options.check_iterations = parse_count(*text, "-c", 0);
  if (const auto* text = typed.find("--samples")) {
    options.samples = parse_count(*text, "--samples", 1);
  }
  if (const auto* text = typed.find("-J")) options.json_path = *text;
  if (typed.find("-J") != nullptr && options.json_path.empty()) {
    throw UserError("-J: the file's name is empty; give a path such as result.json");
  }
  if (const auto* text = typed.find("-T")) options.timeout_s = parse_seconds(*text, "-T");
  if (const auto* text = typed.find("--start-timeout")) {
    options.start_timeout_s = parse_seconds(*text, "--start-timeout");
  }
  if (const auto* text = typed.find("--backend")) {
    options.backend = find_named(kBackendChoices, *text, "--backend", "backend").choice;
  }
  if (const auto* text = typed.find("--wait")) {
    options.wait = find_named(kWaitPolicies, *text, "--wait", "way to wait").policy;
  }
  options.force = typed.force;
  options.dry_run = typed.dry_run;
  return options;
}

std::string version_text() {
  const BuildInfo build = build_info();
  return fmt::format("collbench {} (commit {})\ncompiler {}\nflags {}\n", kVersion,
                     build.git_commit, build.compiler, build.flags);
}

std::string list_text() {
  std::string text =
      "collectives, with bus bandwidth over algorithm bandwidth for 2 and 8 ranks:\n";
  for (const traffic::Traffic& row : traffic::kAll) {
    text += fmt::format("  {:<16}{:<6.3g}{:<6.3g}{}\n", row.name, row.bus_factor(2),
                        row.bus_factor(8), row.summary);
  }
  text +=
      fmt::format("types: {}\nreductions: {}\n", list_names(kDataTypes), list_names(kReduceOps));
  return text;
}

}  // namespace

CollectiveCommand parse_collective_command(const std::vector<std::string>& arguments,
                                           const traffic::Traffic& traffic) {
  CLI::App app(fmt::format("{}_perf: {}.\nStart with mpirun -np N; docs/ and README.md explain.",
                           traffic.name, traffic.summary),
               fmt::format("{}_perf", traffic.name));
  app.allow_extras();
  app.get_formatter()->column_width(26);
  Typed typed;
  add_flags(app, typed, traffic);
  refuse_negative_numbers(arguments);
  if (auto help = parse_words(app, arguments)) return {{}, std::move(help)};
  if (typed.version) return {{}, version_text()};
  if (typed.list) return {{}, list_text()};
  return {options_of(typed), std::nullopt};
}

}  // namespace collbench
