// SPDX-License-Identifier: Apache-2.0
// How the tools print models, layouts and large numbers.
#pragma once

#include <string>

#include "base/bytes.h"
#include "model/layout.h"
#include "model/step.h"

namespace collbench {

/// "8,030,261,248"
std::string grouped(Count number);

/// "tp 2, cp 1, pp 4, ...: 64 ranks"
std::string describe(const model::Layout& layout);

/// "4 micro-batches of 1 x 8192 tokens, ..."
std::string describe(const model::Step& step);

}  // namespace collbench
