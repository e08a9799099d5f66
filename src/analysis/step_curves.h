// SPDX-License-Identifier: Apache-2.0
// Curves of measured steps over numbers of ranks: the part of scaling_study.h that is of steps.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/scaling_study.h"

namespace collbench {

/// Adds curves, and what is in none.
void add_step_curves(std::span<const Document* const> documents, std::optional<int> base_ranks,
                     ScalingStudy& study);

}  // namespace collbench
