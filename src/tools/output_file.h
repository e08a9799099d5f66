// SPDX-License-Identifier: Apache-2.0
// The file that -o names.
#pragma once

#include <string>

namespace collbench {

/// Before the work whose result goes there. Throws UserError where it cannot be written, and where
/// it is there and `force` does not say to replace it.
void require_free(const std::string& path, bool force);

}  // namespace collbench
