// SPDX-License-Identifier: Apache-2.0
// Numbers as reports show them: four significant digits, and never an exponent where there is room.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"

namespace collbench::report {

/// "1234", "12.35", "0.001235"; "1.235e-07" below a millionth.
std::string significant(double value);

/// "12.35", without its unit; "" where there is none.
std::string microseconds(double seconds);
std::string milliseconds(double seconds);
std::string GB_per_s(const std::optional<double>& rate_Bps);
std::string percent(double share);  // "12.3": of 0.123

/// With the unit that suits: "12.35 us", "1.5 ms", "3 s".
std::string duration(double seconds);

}  // namespace collbench::report
