// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/gemm_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace collbench {
namespace {

TEST(GemmBlocks, CoverEveryMultiplicationOnce) {
  constexpr GemmShape kBlock{4, 3, 5};
  for (const GemmShape whole : {GemmShape{1, 1, 1}, {4, 3, 5}, {9, 7, 11}, {8, 1, 6}, {3, 6, 20}}) {
    std::vector<int> touched(whole.m * whole.n * whole.k, 0);
    const GemmBlocks blocks(whole, kBlock);
    for (Count i = 0; i < blocks.count(); ++i) {
      const GemmBlock block = blocks.at(i);
      EXPECT_LE(block.size.m, kBlock.m);
      EXPECT_LE(block.size.n, kBlock.n);
      EXPECT_LE(block.size.k, kBlock.k);
      for (Count m = block.from.m; m < block.from.m + block.size.m; ++m) {
        for (Count n = block.from.n; n < block.from.n + block.size.n; ++n) {
          for (Count k = block.from.k; k < block.from.k + block.size.k; ++k) {
            ++touched.at((m * whole.n + n) * whole.k + k);
          }
        }
      }
    }
    EXPECT_TRUE(std::ranges::all_of(touched, [](int times) { return times == 1; }));
  }
}

TEST(GemmBlocks, WhatAddsToTheSameNumbersComesInARow) {
  const GemmBlocks blocks({9, 7, 11}, {4, 3, 5});
  for (Count i = 1; i < blocks.count(); ++i) {
    const bool same_place = blocks.at(i).from.m == blocks.at(i - 1).from.m &&
                            blocks.at(i).from.n == blocks.at(i - 1).from.n;
    EXPECT_EQ(same_place, blocks.at(i).from.k != 0) << i;
  }
}

TEST(GemmBlocks, ThereIsNothingToDoWhereADimensionIsNone) {
  EXPECT_EQ(GemmBlocks({0, 3, 4}, {2, 2, 2}).count(), 0U);
  EXPECT_EQ(GemmBlocks({3, 3, 0}, {2, 2, 2}).count(), 0U);
}

// From a small core to one that no processor has.
TEST(GemmBlock, LastsAbout75MicrosecondsAtTheRateOfTheCore) {
  for (double rate = 1e9; rate < 250e9; rate *= 1.1) {
    const GemmShape block = gemm_block(rate);
    const double time_us = 2e6 * static_cast<double>(block.m * block.n * block.k) / rate;
    EXPECT_GE(time_us, 50) << rate;
    EXPECT_LE(time_us, 100) << rate;
    EXPECT_GE(block.m, block.n);
  }
  EXPECT_EQ(gemm_block(130e9).m, 256U);
  EXPECT_EQ(gemm_block(130e9).k, 96U);
  EXPECT_GE(gemm_block(1).k, 1U);
  EXPECT_LE(gemm_block(1e15).k, 256U);
}

}  // namespace
}  // namespace collbench
