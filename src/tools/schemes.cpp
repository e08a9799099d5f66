// SPDX-License-Identifier: Apache-2.0
// `collbench schemes`: schemes of parallelism side by side, and which to choose.
#include <fmt/format.h>

#include "analysis/scheme_study.h"
#include "import/result_set.h"
#include "report/scheme_json.h"
#include "report/scheme_text.h"
#include "results/open_file.h"
#include "tools/commands.h"
#include "tools/other_file.h"

namespace collbench {
namespace {

std::string text_of(const SchemeStudy& study, SchemesFormat format) {
  switch (format) {
    case SchemesFormat::markdown:
      return scheme_markdown(study);
    case SchemesFormat::json:
      return scheme_json_text(study);
    case SchemesFormat::text:
      break;
  }
  return scheme_text(study);
}

}  // namespace

ExitStatus run(const SchemesOptions& options) {
  if (!options.output.empty()) {
    require_replaceable(options.output);
    require_other_file("-o", options.output, options.files);
  }
  const SchemeStudy study = study_schemes(read_results(options.files), options.memory);
  const std::string text = text_of(study, options.format);
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    replace_file(options.output, text);
  }
  if (!study.tables.empty()) return ExitStatus::ok;
  print_message("no step of a pattern was measured in these files; the output names what is there");
  return ExitStatus::inconclusive;
}

}  // namespace collbench
