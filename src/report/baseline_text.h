// SPDX-License-Identifier: Apache-2.0
// A baseline as text.
#pragma once

#include <span>
#include <string>

#include "analysis/baseline.h"

namespace collbench {

std::string baseline_text(std::span<const BaselineGroup> groups);

}  // namespace collbench
