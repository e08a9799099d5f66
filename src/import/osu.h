// SPDX-License-Identifier: Apache-2.0
// Reads what the collective tests of the OSU Micro-Benchmarks print: osu_allreduce and others.
#pragma once

#include <string_view>

#include "import/import.h"

namespace collbench {

/// Whether the text has a heading of these tests.
bool looks_like_osu(std::string_view text);

/// One run per test; what is measured otherwise than here (point to point, nonblocking) is left out
/// and said. Throws UserError that names the line of what is damaged.
ImportedRuns import_osu(std::string_view text, const ImportFacts& facts);

}  // namespace collbench
