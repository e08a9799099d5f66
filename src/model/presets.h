// SPDX-License-Identifier: Apache-2.0
// The models that are built in: src/model/presets/*.json, one file each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace collbench::model {

/// In the order of their files' names.
std::vector<std::string> preset_names();

/// Throws UserError that lists the names there are.
Model preset(std::string_view name);

}  // namespace collbench::model
