// SPDX-License-Identifier: Apache-2.0
// `collbench scaling`: what result files of different numbers of ranks say together.
#include <fmt/format.h>

#include <set>
#include <vector>

#include "analysis/scaling_study.h"
#include "base/errors.h"
#include "import/result_set.h"
#include "report/scaling_json.h"
#include "report/scaling_text.h"
#include "results/open_file.h"
#include "tools/commands.h"
#include "tools/other_file.h"

namespace collbench {
namespace {

void write(const std::string& text, const std::string& path) {
  if (path.empty()) {
    fmt::print("{}", text);
  } else {
    replace_file(path, text);
  }
}

void require_base(const std::vector<Document>& documents, int base) {
  std::set<int> ranks;
  for (const Document& document : documents) {
    for (const Record& row : document.rows) ranks.insert(row.key.ranks);
    for (const StepRecord& step : document.steps) ranks.insert(step.key.ranks);
  }
  if (ranks.empty() || ranks.count(base) > 0) return;
  throw UserError(fmt::format("--base {}: nothing was measured on {} ranks, but on {}", base, base,
                              fmt::join(ranks, ", ")));
}

}  // namespace

ExitStatus run(const ScalingOptions& options) {
  if (!options.output.empty()) {
    require_replaceable(options.output);
    require_other_file("-o", options.output, options.files);
  }
  const std::vector<Document> documents = read_results(options.files);
  if (options.base_ranks) require_base(documents, *options.base_ranks);
  const ScalingStudy study = study_scaling(documents, options.base_ranks);
  write(options.json ? scaling_json_text(study) : scaling_text(study), options.output);
  if (!study.steps.empty() || !study.rows.empty()) return ExitStatus::ok;
  print_message(
      "no curve: files of the same measurement on different numbers of ranks are needed; the "
      "output says what each lacks");
  return ExitStatus::inconclusive;
}

}  // namespace collbench
