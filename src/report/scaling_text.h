// SPDX-License-Identifier: Apache-2.0
// A study of scaling as text.
#pragma once

#include <string>
#include <vector>

#include "analysis/scaling_study.h"

namespace collbench {

std::string scaling_text(const ScalingStudy& study);

/// A law with its error, and what it says beyond the counts that were measured, if anything.
std::vector<std::string> describe(const CurveLaw& fitted);

/// "latency (us) = 0.5 + 1.2 log2 N; median error 2.1 %", and what to know before relying on it.
std::string describe(const statistics::GrowthFit& growth);

}  // namespace collbench
