// SPDX-License-Identifier: Apache-2.0
#include "report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace collbench::report {

std::string significant(double value) {
  constexpr int kDigits = 4;
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 1e-6 || size >= 1e15) return fmt::format("{:.{}g}", value, kDigits);
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::max(0, kDigits - before));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string microseconds(double seconds) { return significant(seconds * 1e6); }
std::string milliseconds(double seconds) { return significant(seconds * 1e3); }

std::string GB_per_s(const std::optional<double>& rate_Bps) {
  return rate_Bps ? significant(*rate_Bps * 1e-9) : "";
}

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string duration(double seconds) {
  const double size = std::abs(seconds);
  if (size < 1e-3) return microseconds(seconds) + " us";
  return size < 1 ? milliseconds(seconds) + " ms" : significant(seconds) + " s";
}

}  // namespace collbench::report
