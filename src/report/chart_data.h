// SPDX-License-Identifier: Apache-2.0
// The data of charts for the page's script.
#pragma once

#include <span>
#include <string>

#include "report/page.h"

namespace collbench::report {

/// A JSON array with an object for each chart; page/report.js reads it. Numbers have six digits:
/// more than a screen has points.
std::string chart_data(std::span<const Chart> charts);

}  // namespace collbench::report
