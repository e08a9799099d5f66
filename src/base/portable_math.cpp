// SPDX-License-Identifier: Apache-2.0
#include "base/portable_math.h"

#include <cmath>

namespace collbench {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;

}  // namespace

double portable_log2(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < kSqrtHalf) {
    m *= 2;
    --exponent;
  }
  // ln m = 2 artanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...), with |s| < 0.172: 12 terms are enough.
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double series = 0;
  for (int k = 12; k >= 0; --k) series = std::fma(series, square, 1.0 / (2 * k + 1));
  return std::fma(2 * kInverseLn2 * s, series, exponent);
}

double portable_exp2(double x) {
  const double whole = std::floor(x + 0.5);
  const double t = (x - whole) * kLn2;  // at most ln 2 / 2: 15 terms of its exponential are enough
  double series = 1;
  for (int k = 15; k >= 1; --k) series = std::fma(series, t / k, 1.0);
  return std::ldexp(series, static_cast<int>(whole));
}

std::uint64_t PortableRandom::next() {
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

double PortableRandom::normal() {
  while (true) {
    const double u = std::fma(2, uniform(), -1);
    const double v = std::fma(2, uniform(), -1);
    const double s = std::fma(u, u, v * v);
    if (s >= 1 || s == 0) continue;
    return u * std::sqrt(-2 * kLn2 * portable_log2(s) / s);
  }
}

}  // namespace collbench
