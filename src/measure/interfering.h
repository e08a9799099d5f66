// SPDX-License-Identifier: Apache-2.0
// The operations that can run beside what is measured.
#pragma once

#include <span>

#include "measure/operation.h"

namespace collbench {

/// Those of which every rank does its part by one group of calls. Their results are not checked.
std::span<const Operation> interfering_operations();

}  // namespace collbench
