// SPDX-License-Identifier: Apache-2.0
// `collbench convert`: result files in the formats of other programs.
#include <fmt/format.h>

#include <string>

#include "base/errors.h"
#include "import/result_set.h"
#include "report/csv_text.h"
#include "results/table.h"
#include "tools/commands.h"

namespace collbench {
namespace {

std::string nccl_tests_text(const Document& document) {
  const TableStyle style = {.nccl_tests = true};
  return table_header(document, {}, style) + table_rows(document.rows, style) +
         table_footer(document, style);
}

/// The format has columns for collectives only.
void require_rows(const Document& document, const std::string& file) {
  if (!document.config.pattern) return;
  throw UserError(fmt::format(
      "{}: holds training steps, which this format has no columns for; use --to csv, or collbench "
      "show",
      file));
}

}  // namespace

ExitStatus run(const ConvertOptions& options) {
  CsvText csv;
  std::string text;
  for (const std::string& file : options.files) {
    for (const Document& document : read_results(file)) {
      if (options.format == ConvertFormat::csv) {
        csv.add(document, file);
      } else {
        require_rows(document, file);
        text += nccl_tests_text(document);
      }
    }
  }
  fmt::print("{}{}", csv.text(), text);
  return ExitStatus::ok;
}

}  // namespace collbench
