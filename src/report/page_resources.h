// SPDX-License-Identifier: Apache-2.0
// What every page has in it, built into the program by the Makefile.
#pragma once

#include <string_view>

namespace collbench::report {

/// Chart.js, with its licence notice.
std::string_view chart_library();

/// page/report.js and page/report.css.
std::string_view page_script();
std::string_view page_style();

}  // namespace collbench::report
