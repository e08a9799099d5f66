// SPDX-License-Identifier: Apache-2.0
// The degrees of a layout by name: what a number of ranks is varied along.
#pragma once

#include <array>
#include <string_view>

#include "model/layout.h"

namespace collbench::model {

struct Degree {
  std::string_view name;
  int Layout::*of;
};

inline constexpr std::array<Degree, 4> kDegrees = {
    {{"dp", &Layout::dp}, {"tp", &Layout::tp}, {"cp", &Layout::cp}, {"pp", &Layout::pp}}};

}  // namespace collbench::model
