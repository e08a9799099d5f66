// SPDX-License-Identifier: Apache-2.0
#include "base/portable_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

namespace collbench {
namespace {

TEST(PortableMath, Log2IsRightToTheLastDigits) {
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    EXPECT_NEAR(portable_log2(x), std::log2(x), 1e-15 * (1 + std::fabs(std::log2(x)))) << x;
  }
  for (const int exponent : {-1000, -1, 0, 1, 10, 1000}) {
    EXPECT_EQ(portable_log2(std::ldexp(1.0, exponent)), exponent);
  }
  EXPECT_NEAR(portable_log2(1 + 1e-9) / std::log2(1 + 1e-9), 1, 1e-15);
}

TEST(PortableMath, Exp2IsRightToTheLastDigits) {
  for (double x = -999.3; x < 1000; x += 0.737) {
    EXPECT_NEAR(portable_exp2(x) / std::exp2(x), 1, 1e-15) << x;
  }
  EXPECT_EQ(portable_exp2(0), 1);
  EXPECT_EQ(portable_exp2(-3), 0.125);
}

// Results of seeds are kept in files: they must never change.
TEST(PortableMath, KnownBits) {
  EXPECT_EQ(portable_log2(3), 0x1.95c01a39fbd69p+0);
  EXPECT_EQ(portable_exp2(0.3), 0x1.3b2c47bff8329p+0);
  EXPECT_EQ(PortableRandom(1).normal(), 0x1.b7c251a5470ccp-2);
}

// The first numbers of splitmix64 for this seed, as they are published.
TEST(PortableRandom, KnownAnswers) {
  PortableRandom random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317ULL);
  EXPECT_EQ(random.next(), 3203168211198807973ULL);
  EXPECT_EQ(random.next(), 9817491932198370423ULL);
}

TEST(PortableRandom, UniformsFillTheUnitInterval) {
  PortableRandom random(1);
  double sum = 0;
  constexpr int kNumbers = 100000;
  for (int i = 0; i < kNumbers; ++i) {
    const double u = random.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    sum += u;
  }
  EXPECT_NEAR(sum / kNumbers, 0.5, 0.005);  // 5 standard errors
}

// 40000 of them: means are good to 0.005, the share beyond 2 to 0.001.
TEST(PortableRandom, NormalsHaveTheirMomentsAndTails) {
  PortableRandom random(1);
  double sum = 0;
  double squares = 0;
  int beyond_2 = 0;
  constexpr int kNumbers = 40000;
  for (int i = 0; i < kNumbers; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
    if (std::fabs(z) > 2) ++beyond_2;
  }
  EXPECT_NEAR(sum / kNumbers, 0, 0.02);
  EXPECT_NEAR(squares / kNumbers, 1, 0.03);
  EXPECT_NEAR(static_cast<double>(beyond_2) / kNumbers, 0.0455, 0.005);
}

}  // namespace
}  // namespace collbench
