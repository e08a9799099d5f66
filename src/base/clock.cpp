// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <fmt/chrono.h>

#include <cstdio>
#include <ctime>

namespace collbench {

std::string utc_now_rfc3339() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string local_time(const std::string& rfc3339) {
  std::tm utc{};
  if (std::sscanf(rfc3339.c_str(), "%d-%d-%dT%d:%d:%d", &utc.tm_year, &utc.tm_mon, &utc.tm_mday,
                  &utc.tm_hour, &utc.tm_min, &utc.tm_sec) != 6) {
    return rfc3339;
  }
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(timegm(&utc)));
}

}  // namespace collbench
