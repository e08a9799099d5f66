// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/two_sides.h"

namespace collbench {
namespace {

void split(const std::vector<std::string>& operands, CompareToolOptions& options) {
  TwoSides sides = split_sides(operands);
  if (!sides.separated) {
    throw UserError(
        "-- is missing: the files of the base stand before it and the new ones after it, as in "
        "collbench compare base/*.json -- new/*.json");
  }
  options.base = std::move(sides.base);
  options.candidate = std::move(sides.candidate);
  if (options.baseline && !options.base.empty()) {
    throw UserError("--baseline is the base; leave out it or the files before --");
  }
  if (options.base.empty() && !options.baseline) {
    throw UserError("no file stands before --: the base is missing");
  }
  if (options.candidate.empty())
    throw UserError("no file stands after --: the new side is missing");
}

ComparisonOutput parse_output(const std::string& text) {
  const std::size_t equals = text.find('=');
  ComparisonOutput output;
  output.format =
      find_named(kComparisonFormats, text.substr(0, equals), "--format", "format").format;
  if (equals == std::string::npos) return output;
  output.file = text.substr(equals + 1);
  if (output.file.empty()) {
    throw UserError(fmt::format("--format: '{}' names no file after '='", text));
  }
  return output;
}

std::vector<ComparisonOutput> parse_outputs(const std::vector<std::string>& formats) {
  if (formats.empty()) return {ComparisonOutput{}};
  std::vector<ComparisonOutput> outputs;
  for (const std::string& format : formats) outputs.push_back(parse_output(format));
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    const bool taken = std::any_of(outputs.begin(), output, [&](const ComparisonOutput& earlier) {
      return earlier.file == output->file;
    });
    if (!taken) continue;
    throw UserError(output->file.empty()
                        ? "--format: two formats for stdout; give all but one a file, as in "
                          "markdown=FILE"
                        : fmt::format("--format: two formats for {}", output->file));
  }
  return outputs;
}

bool can_fail(ChangeVerdict verdict) {
  return verdict != ChangeVerdict::improvement && verdict != ChangeVerdict::unchanged;
}

FailOn parse_fail_on(const std::string& text) {
  FailOn fail_on;
  if (text == "none") return fail_on;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    begin = end + 1;
    const ChangeVerdict verdict = find_named(kChangeVerdicts, name, "--fail-on", "verdict").verdict;
    if (!can_fail(verdict)) {
      throw UserError(fmt::format("--fail-on: '{}' is no reason to fail", name));
    }
    fail_on.verdicts[static_cast<std::size_t>(verdict)] = true;
  }
  return fail_on;
}

}  // namespace

void ComparingFlags::declare(CommandLine& line) {
  line.heading("Comparing");
  line.value("--rules", rules_, "a file of thresholds, as --print-rules prints them");
  line.completed_by_files();
  line.values("--filter", filters_, "only rows whose name holds this; again for others");
  line.flag("--allow-env-diff", allow_environment_difference_,
            "compare what different machines measured");
  line.flag("--allow-missing", allow_missing_, "rows that the new side has not are no error");
  line.value("--fail-on", fail_on_,
             "verdicts that fail, or none (regression,error,missing); inconclusive, suspect and "
             "incomparable give status 6, others 1");
  line.heading("Output");
  line.values("--format", formats_,
              "FORMAT or FORMAT=FILE (text); again for others: " + list_names(kComparisonFormats));
  line.flag("--explain", explain_, "the reason of every row, in text and markdown");
}

ComparingOptions ComparingFlags::options() const {
  ComparingOptions options;
  options.compare = {.allow_environment_difference = allow_environment_difference_,
                     .allow_missing = allow_missing_};
  if (fail_on_) options.fail_on = parse_fail_on(*fail_on_);
  if (allow_missing_) {
    options.fail_on.verdicts[static_cast<std::size_t>(ChangeVerdict::missing)] = false;
  }
  options.rules_file = rules_;
  options.filters = filters_;
  options.outputs = parse_outputs(formats_);
  options.explain = explain_;
  return options;
}

std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 CompareToolOptions& options) {
  ComparingFlags flags;
  std::vector<std::string> operands;
  line.heading("Base");
  line.value("--baseline", options.baseline,
             "launches of the same program and machine in this file of collbench baseline, instead "
             "of files before --");
  line.completed_by_files();
  flags.declare(line);
  line.heading("Information");
  line.flag("--print-rules", options.print_rules, "print the rules that are built in, and end");
  line.operands("FILE", operands, "files that benchmarks wrote with -J, or folders of them",
                CommandLine::Operands::optional);
  if (auto help = line.parse(with_separator(arguments))) return help;
  options.comparing = flags.options();
  if (!options.print_rules) split(operands, options);
  return std::nullopt;
}

}  // namespace collbench
