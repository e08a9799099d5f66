// SPDX-License-Identifier: Apache-2.0
#include "base/float8.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace collbench {
namespace {

struct Format {
  int fraction_bits;
  int bias;
  std::uint8_t largest;  // pattern of the largest finite value
  std::uint8_t nan;
};

constexpr Format kE4M3 = {.fraction_bits = 3, .bias = 7, .largest = 0x7e, .nan = 0x7f};
constexpr Format kE5M2 = {.fraction_bits = 2, .bias = 15, .largest = 0x7b, .nan = 0x7e};

// The value of a finite pattern without its sign.
float magnitude_of(const Format& format, std::uint8_t pattern) {
  const int exponent = pattern >> format.fraction_bits;
  const int fraction = pattern & ((1 << format.fraction_bits) - 1);
  const int implicit = exponent > 0 ? 1 << format.fraction_bits : 0;
  const int scale = (exponent > 0 ? exponent : 1) - format.bias - format.fraction_bits;
  return std::ldexp(static_cast<float>(implicit + fraction), scale);
}

// Values of patterns ascend with the pattern, so rounding is rounding in units of a pattern's last
// place: exact in a float, because that only scales by powers of two.
std::uint8_t encode(const Format& format, float value) {
  const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return sign | format.nan;
  const float magnitude = std::fabs(value);
  if (magnitude >= magnitude_of(format, format.largest)) return sign | format.largest;
  const int least_exponent = 1 - format.bias;  // of normal values; below it the unit stays the same
  const int exponent =
      magnitude > 0 ? std::max(std::ilogb(magnitude), least_exponent) : least_exponent;
  const float units = std::ldexp(magnitude, format.fraction_bits - exponent);
  const auto rounded = static_cast<int>(std::nearbyint(units));  // ties to even
  // The implicit bit is among the units of a normal value and carries into the exponent by itself.
  const int pattern = ((exponent - least_exponent) << format.fraction_bits) + rounded;
  return static_cast<std::uint8_t>(sign | pattern);
}

}  // namespace

float to_float(Float8E4M3 value) {
  const std::uint8_t pattern = value.bits & 0x7f;
  if (pattern == kE4M3.nan) return std::numeric_limits<float>::quiet_NaN();
  return std::copysign(magnitude_of(kE4M3, pattern), (value.bits & 0x80) != 0 ? -1.0F : 1.0F);
}

float to_float(Float8E5M2 value) {
  const std::uint8_t pattern = value.bits & 0x7f;
  const float sign = (value.bits & 0x80) != 0 ? -1.0F : 1.0F;
  if (pattern > 0x7c) return std::numeric_limits<float>::quiet_NaN();
  if (pattern == 0x7c) return std::copysign(std::numeric_limits<float>::infinity(), sign);
  return std::copysign(magnitude_of(kE5M2, pattern), sign);
}

Float8E4M3 to_float8_e4m3(float value) { return {encode(kE4M3, value)}; }

Float8E5M2 to_float8_e5m2(float value) { return {encode(kE5M2, value)}; }

}  // namespace collbench
