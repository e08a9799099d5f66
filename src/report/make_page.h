// SPDX-License-Identifier: Apache-2.0
// The page of a report, out of what was read.
#pragma once

#include <string>

#include "report/page.h"
#include "report/run.h"

namespace collbench::report {

/// Sections stand in the order of a reader's questions: is it well, how fast, who is slow, why,
/// and where was it. Sections that the files have nothing for are not there.
Page make_page(const Input& input, std::string title);

}  // namespace collbench::report
