// SPDX-License-Identifier: Apache-2.0
// What rows and the operation that ran beside them cost each other, as text.
#pragma once

#include <string>

#include "results/document.h"

namespace collbench {

/// A line for each row that was measured beside another operation, below a heading; empty where
/// none was.
std::string interference_table(const Document& document);

}  // namespace collbench
