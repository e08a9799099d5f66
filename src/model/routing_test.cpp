// SPDX-License-Identifier: Apache-2.0
#include "model/routing.h"

#include <gtest/gtest.h>

namespace collbench::model {
namespace {

TEST(Routing, MeetsFewerRanksThanExperts) {
  // 8 of 256 experts on 8 ranks; and the copies that are saved on 16, 32 and 64.
  EXPECT_NEAR(expected_groups(256, 8, 8), 5.295, 0.0005);
  EXPECT_NEAR(8 / expected_groups(256, 8, 16), 1.23, 0.005);
  EXPECT_NEAR(8 / expected_groups(256, 8, 32), 1.10, 0.005);
  EXPECT_NEAR(8 / expected_groups(256, 8, 64), 1.04, 0.005);
  // Nodes of 8 ranks.
  EXPECT_NEAR(expected_groups(256, 8, 2), 1.99, 0.005);
  EXPECT_NEAR(expected_groups(256, 8, 4), 3.61, 0.005);
  EXPECT_DOUBLE_EQ(expected_groups(8, 8, 4), 4);
  EXPECT_DOUBLE_EQ(expected_groups(8, 1, 8), 1);
  EXPECT_THROW(expected_groups(8, 2, 3), std::logic_error);
}

TEST(Routing, SendsScalesWithEightBitTokens) {
  EXPECT_EQ(float8_row_bytes(7168), 7392U);
  EXPECT_EQ(float8_row_bytes(100), 104U);
}

}  // namespace
}  // namespace collbench::model
