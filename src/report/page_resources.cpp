// SPDX-License-Identifier: Apache-2.0
#include "report/page_resources.h"

namespace collbench::report {

std::string_view chart_library() {
  return
#include "chart.js.inc"
      ;
}

std::string_view page_script() {
  return
#include "report.js.inc"
      ;
}

std::string_view page_style() {
  return
#include "report.css.inc"
      ;
}

}  // namespace collbench::report
