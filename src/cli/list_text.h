// SPDX-License-Identifier: Apache-2.0
// What --list prints.
#pragma once

#include <string>

namespace collbench {

/// The collectives, types, reductions and traffic matrices there are, with their meaning.
std::string list_text();

}  // namespace collbench
