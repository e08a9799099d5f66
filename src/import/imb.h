// SPDX-License-Identifier: Apache-2.0
// Reads what IMB-MPI1 of the Intel MPI Benchmarks prints.
#pragma once

#include <string_view>

#include "import/import.h"

namespace collbench {

/// Whether the text has the heading of these benchmarks.
bool looks_like_imb(std::string_view text);

/// One run per launch, with the rows of all its collectives and numbers of processes; benchmarks
/// that nothing here measures are left out and said. Throws UserError that names the line of what
/// is damaged.
ImportedRuns import_imb(std::string_view text, const ImportFacts& facts);

}  // namespace collbench
