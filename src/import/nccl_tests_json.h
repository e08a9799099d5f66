// SPDX-License-Identifier: Apache-2.0
// Reads the JSON file of nccl-tests' -J, versions 1 to 3 of its format.
#pragma once

#include <string>
#include <string_view>

#include "import/nccl_tests_run.h"

namespace collbench {

/// With bare infinities and NaNs, which nccl-tests writes and JSON has not, as strings of the same
/// length; all else is as it was.
std::string with_quoted_infinities(std::string_view text);

/// The run of the file. Throws UserError that names the place of what is not as nccl-tests writes
/// it.
NcclTestsRun nccl_tests_run_from_json(std::string_view text);

}  // namespace collbench
