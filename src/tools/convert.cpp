// SPDX-License-Identifier: Apache-2.0
// `collbench convert`: result files in the formats of other programs.
#include <fmt/format.h>

#include <string>

#include "base/errors.h"
#include "report/csv.h"
#include "results/result_file.h"
#include "results/table.h"
#include "tools/commands.h"

namespace collbench {
namespace {

std::string nccl_tests_text(const Document& document) {
  const TableStyle style = {.nccl_tests = true};
  return table_header(document, {}, style) + table_rows(document.rows, style) +
         table_footer(document, style);
}

/// These formats have columns for collectives only.
void require_rows(const Document& document, const std::string& file) {
  if (!document.config.pattern) return;
  throw UserError(fmt::format(
      "{}: holds training steps, which this format has no columns for; use collbench show, or read "
      "`steps` in the file itself",
      file));
}

}  // namespace

ExitStatus run(const ConvertOptions& options) {
  std::string text;
  if (options.format == ConvertFormat::csv) text += csv_header();
  for (const std::string& file : options.files) {
    const Document document = read_document(file);
    require_rows(document, file);
    text += options.format == ConvertFormat::csv ? csv_rows(document) : nccl_tests_text(document);
  }
  fmt::print("{}", text);
  return ExitStatus::ok;
}

}  // namespace collbench
