// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <fmt/chrono.h>

namespace collbench {

std::string utc_now_rfc3339() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace collbench
