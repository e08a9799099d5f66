// SPDX-License-Identifier: Apache-2.0
// Reads what nccl-tests prints: the table with the lines around it, of all its versions from 2.0
// on, and of this suite's programs with --nccl-compat.
#pragma once

#include <string_view>
#include <vector>

#include "import/nccl_tests_run.h"

namespace collbench {

/// Whether the text has a line that only nccl-tests prints.
bool looks_like_nccl_tests(std::string_view text);

/// The runs whose output the text has, one after the other; what else a log has is passed over.
/// Views in them are into `text`. Throws UserError that names the line for a row that is damaged,
/// unless the text ends in it: then the run has not ended.
std::vector<NcclTestsRun> nccl_tests_runs(std::string_view text);

}  // namespace collbench
