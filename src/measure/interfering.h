// SPDX-License-Identifier: Apache-2.0
// The operations that can run beside what is measured.
#pragma once

#include <span>

#include "measure/operation.h"

namespace collbench {

/// Those of which every rank does the same part, by one group of calls, and is done with it when
/// others are: a root is done earlier. Their results are not checked.
std::span<const Operation> interfering_operations();

}  // namespace collbench
