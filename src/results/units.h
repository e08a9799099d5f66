// SPDX-License-Identifier: Apache-2.0
// Units of result files: seconds and bytes per second inside, microseconds and GB/s in files.
#pragma once

namespace collbench {

/// The value times 10^powers, moved through its 15-digit decimal form.
///
/// A multiplication would turn 285.21e-6 s into 285.21000000000004 us, and dividing that again
/// would not give back the same seconds. Moving the decimal point keeps what the digits say: any
/// value of at most 15 significant digits survives there and back, and any other is rounded once.
/// Infinity and NaN stay what they are; what overflows becomes infinite.
double shift_decimal_point(double value, int powers);

inline double us_from_s(double seconds) { return shift_decimal_point(seconds, 6); }
inline double s_from_us(double microseconds) { return shift_decimal_point(microseconds, -6); }
inline double GBps_from_Bps(double rate) { return shift_decimal_point(rate, -9); }
inline double Bps_from_GBps(double rate) { return shift_decimal_point(rate, 9); }

}  // namespace collbench
