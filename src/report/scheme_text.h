// SPDX-License-Identifier: Apache-2.0
// A study of schemes for people: a table, and what it says to choose.
#pragma once

#include <string>

#include "analysis/scheme_study.h"

namespace collbench {

/// In the style of the tables on a terminal.
std::string scheme_text(const SchemeStudy& study);

std::string scheme_markdown(const SchemeStudy& study);

}  // namespace collbench
