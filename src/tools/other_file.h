// SPDX-License-Identifier: Apache-2.0
// An output never takes the place of what it is made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace collbench {

/// Throws UserError where `output`, which `flag` names, is one of the files that `inputs` stand
/// for, by whatever link: folders stand for the result files in them.
void require_other_file(std::string_view flag, const std::string& output,
                        const std::vector<std::string>& inputs);

}  // namespace collbench
