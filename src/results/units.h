// SPDX-License-Identifier: Apache-2.0
// Units of result files: seconds and bytes per second inside, microseconds and GB/s in files.
#pragma once

#include <cmath>

namespace collbench {

/// The value times 10^powers, moved through its 15-digit decimal form.
///
/// A division would turn 2.85e5 B/s into 0.00028499999999999999 GB/s, and multiplying that again
/// would not give back the same rate. Moving the decimal point keeps what the digits say: any
/// value of at most 15 significant digits survives there and back, and any other is rounded once.
/// Infinity and NaN stay what they are; what overflows becomes infinite.
double shift_decimal_point(double value, int powers);

/// Times are kept to the picosecond: no clock here sees less, and what a difference of two clock
/// readings has beyond that is noise of its last bits. Both are exact quotients of whole numbers of
/// picoseconds, up to 9000 s, so they too survive there and back; what is longer keeps 15 digits.
inline double us_from_s(double seconds) {
  if (!(std::abs(seconds) < 9e3)) return shift_decimal_point(seconds, 6);
  return std::nearbyint(seconds * 1e12) / 1e6;
}
inline double s_from_us(double microseconds) {
  if (!(std::abs(microseconds) < 9e9)) return shift_decimal_point(microseconds, -6);
  return std::nearbyint(microseconds * 1e6) / 1e12;
}

inline double GBps_from_Bps(double rate) { return shift_decimal_point(rate, -9); }
inline double Bps_from_GBps(double rate) { return shift_decimal_point(rate, 9); }

}  // namespace collbench
