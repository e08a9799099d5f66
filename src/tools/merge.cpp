// SPDX-License-Identifier: Apache-2.0
// `collbench merge`: several runs in one file, each kept apart.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/one_line.h"
#include "import/result_set.h"
#include "results/distinct_runs.h"
#include "results/json.h"
#include "results/open_file.h"
#include "tools/commands.h"
#include "tools/other_file.h"
#include "tools/output_file.h"

namespace collbench {
namespace {

std::vector<Document> runs_of(const std::vector<std::string>& files) {
  std::vector<Document> runs;
  for (const std::string& file : files) {
    std::vector<Document> read = read_results(file);
    std::move(read.begin(), read.end(), std::back_inserter(runs));
  }
  return runs;
}

}  // namespace

ExitStatus run(const MergeOptions& options) {
  require_free(options.output, options.force);
  require_other_file("-o", options.output, options.files);
  std::vector<Document> read = runs_of(options.files);
  const std::size_t all = read.size();
  const std::vector<Document> runs = distinct_runs(std::move(read));
  replace_file(options.output, set_to_json(runs));
  const auto incomplete =
      std::count_if(runs.begin(), runs.end(), [](const Document& run) { return run.incomplete; });
  fmt::print(
      "{}: {}{}{}\n", one_line(options.output), counted(runs.size(), "run"),
      incomplete > 0 ? fmt::format(", {} incomplete", incomplete) : "",
      all > runs.size() ? fmt::format("; left out, being there twice: {}", all - runs.size()) : "");
  return ExitStatus::ok;
}

}  // namespace collbench
