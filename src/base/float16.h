// SPDX-License-Identifier: Apache-2.0
// The two 16-bit floating-point formats, as bit patterns, and their conversions.
//
// Rounding is to nearest, ties to even, as hardware does it; NaN stays NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace collbench {

struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

inline float to_float(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

inline BFloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return {0x7fc0};
  const std::uint32_t rounding = 0x7fffU + ((bits >> 16) & 1U);  // half a unit, ties to even
  return {static_cast<std::uint16_t>((bits + rounding) >> 16)};
}

inline float to_float(Half value) {
  const std::uint32_t sign = (value.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = value.bits & 0x7fffU;
  if (magnitude >= 0x7c00U) {  // infinity and NaN
    return std::bit_cast<float>(sign | 0x7f800000U | ((magnitude & 0x3ffU) << 13));
  }
  // The exponent is 112 too small for a float; multiplying by 2^112 mends it, subnormals included.
  return std::bit_cast<float>(
      sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112F));
}

inline Half to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000U) {
    half = 0x7e00U;  // NaN
  } else if (magnitude >= 0x477ff000U) {
    half = 0x7c00U;  // 65520 and above round to infinity
  } else if (magnitude < 0x38800000U) {
    // Subnormal: adding 0.5 leaves exactly the bits of weight 2^-24 and rounds the rest away.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  } else {
    const std::uint32_t rounding = 0xfffU + ((magnitude >> 13) & 1U);
    half = (magnitude - 0x38000000U + rounding) >> 13;
  }
  return {static_cast<std::uint16_t>(sign | half)};
}

}  // namespace collbench
