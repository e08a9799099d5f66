// SPDX-License-Identifier: Apache-2.0
// `collbench import`: what other programs printed, as a result file.
#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/one_line.h"
#include "import/import.h"
#include "results/distinct_runs.h"
#include "results/json.h"
#include "results/open_file.h"
#include "tools/commands.h"
#include "tools/other_file.h"
#include "tools/output_file.h"

namespace collbench {
namespace {

/// Of text that `recognise` does not.
std::string why_unknown(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return "it is empty; name what the program printed";
  }
  if (is_ours(text)) {
    return "this is a result file of collbench, which every subcommand reads as it is; merge puts "
           "several into one";
  }
  return "not the output of a program that is known here: nccl-tests, OSU, IMB-MPI1";
}

std::vector<Document> runs_of(const std::string& file, const ImportFacts& facts) {
  const std::string text = read_file(file);
  const auto format = recognise(text);
  if (!format) throw UserError(fmt::format("{}: {}", file, why_unknown(text)));
  ImportedRuns imported = import_runs(*format, text, file, facts);
  for (const std::string& sentence : imported.left_out) {
    print_message(fmt::format("{}: {}", file, sentence).c_str());
  }
  return std::move(imported.runs);
}

/// A run that never ended has its rows in a set only: alone it would have FILE.rows.
std::string text_of(const std::vector<Document>& runs) {
  const bool alone = runs.size() == 1 && !runs[0].incomplete;
  return alone ? to_json(runs[0]) : set_to_json(runs);
}

}  // namespace

ExitStatus run(const ImportOptions& options) {
  require_free(options.output, options.force);
  require_other_file("-o", options.output, options.files);
  std::vector<Document> runs;
  for (const std::string& file : options.files) {
    std::vector<Document> read = runs_of(file, options.facts);
    std::move(read.begin(), read.end(), std::back_inserter(runs));
  }
  runs = distinct_runs(std::move(runs));
  replace_file(options.output, text_of(runs));
  std::size_t rows = 0;
  for (const Document& run : runs) rows += run.rows.size();
  fmt::print("{}: {} run{}, {} row{}\n", one_line(options.output), runs.size(),
             runs.size() == 1 ? "" : "s", rows, rows == 1 ? "" : "s");
  return ExitStatus::ok;
}

}  // namespace collbench
