// SPDX-License-Identifier: Apache-2.0
// Logarithm, power and random numbers that give the same bits on every platform.
//
// std::log2 and std::exp2 differ between C libraries in the last bit, and std::normal_distribution
// altogether; ranks on different hosts must yet derive the same plan from the same seed. These use
// only operations that IEEE 754 rounds in one way, with every fused multiply-add written out, so
// that no compiler has one to fuse.
#pragma once

#include <cstdint>

namespace collbench {

/// Base 2 logarithm, to about 1e-15. Requires a normal number above 0.
double portable_log2(double x);

/// 2 to the power of x, to about 1e-15 of its value. Requires |x| < 1000.
double portable_exp2(double x);

/// A stream of random numbers: splitmix64 (Steele, Lea, Flood 2014).
class PortableRandom {
 public:
  explicit PortableRandom(std::uint64_t seed) : state_(seed) {}

  /// 64 random bits.
  std::uint64_t next();

  /// Below `limit`, which must be far below 2^64 for all values to be equally likely.
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }

  /// In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Of the standard normal distribution (Marsaglia's polar method).
  double normal();

 private:
  std::uint64_t state_;
};

}  // namespace collbench
