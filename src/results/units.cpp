// SPDX-License-Identifier: Apache-2.0
#include "results/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>

namespace collbench {

double shift_decimal_point(double value, int powers) {
  if (!std::isfinite(value) || value == 0) return value;
  std::string text = fmt::format("{:.14e}", value);  // "2.85210000000000e-04"
  const std::size_t e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1)) + powers;
  text = fmt::format("{}e{}", text.substr(0, e), exponent);
  double shifted = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), shifted);
  if (result.ec != std::errc::result_out_of_range) return shifted;
  return exponent > 0 ? std::copysign(HUGE_VAL, value) : std::copysign(0.0, value);
}

}  // namespace collbench
