// SPDX-License-Identifier: Apache-2.0
#include "analysis/interleaved.h"

#include <gtest/gtest.h>

#include <string>

namespace collbench {
namespace {

std::string order(std::size_t runs) {
  std::string text;
  for (const Turn& turn : interleaved(runs)) text += turn.side == Side::base ? 'A' : 'B';
  return text;
}

TEST(Interleaved, NeitherSideIsAlwaysFirst) {
  EXPECT_EQ(order(1), "AB");
  EXPECT_EQ(order(2), "ABBA");
  EXPECT_EQ(order(5), "ABBAABBAAB");
}

TEST(Interleaved, EachLaunchHasItsNumber) {
  EXPECT_EQ(interleaved(2),
            (std::vector<Turn>{
                {Side::base, 1}, {Side::candidate, 1}, {Side::candidate, 2}, {Side::base, 2}}));
}

}  // namespace
}  // namespace collbench
