// SPDX-License-Identifier: Apache-2.0
// The two 8-bit floating-point formats of the OCP specification, as bit patterns, and their
// conversions.
//
// Source: OCP 8-bit Floating Point Specification (OFP8), revision 1.0, sections 5.1 and 5.2.
// Rounding is to nearest, ties to even; what is too large becomes the largest finite value, as
// CUDA's conversions do by default (saturation), in both formats; NaN stays NaN.
#pragma once

#include <cstdint>

namespace collbench {

/// 4 exponent bits, bias 7, 3 bits of fraction, no infinities, largest value 448.
struct Float8E4M3 {
  std::uint8_t bits;
};

/// 5 exponent bits, bias 15, 2 bits of fraction, infinities as IEEE has them, largest value 57344.
struct Float8E5M2 {
  std::uint8_t bits;
};

float to_float(Float8E4M3 value);
float to_float(Float8E5M2 value);
Float8E4M3 to_float8_e4m3(float value);
Float8E5M2 to_float8_e5m2(float value);

}  // namespace collbench
