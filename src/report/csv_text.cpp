// SPDX-License-Identifier: Apache-2.0
#include "report/csv_text.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "report/csv.h"

namespace collbench {
namespace {

const char* name(bool of_steps) { return of_steps ? "training steps" : "rows of collectives"; }

}  // namespace

void CsvText::add(const Document& document, const std::string& file) {
  const bool of_steps = document.config.pattern.has_value();
  if (text_.empty()) {
    of_steps_ = of_steps;
    text_ = of_steps ? csv_step_header() : csv_header();
  }
  if (of_steps != of_steps_) {
    throw UserError(fmt::format(
        "{}: holds {}, and the files before it {}, whose columns differ; convert them apart", file,
        name(of_steps), name(of_steps_)));
  }
  text_ += of_steps ? csv_steps(document) : csv_rows(document);
}

}  // namespace collbench
