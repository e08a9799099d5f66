// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic.h"

#include <gtest/gtest.h>

namespace collbench::traffic {
namespace {

// Worked by hand from nccl-tests' doc/PERFORMANCE.md.
TEST(Traffic, BusFactors) {
  EXPECT_DOUBLE_EQ(all_reduce.bus_factor(2), 1.0);
  EXPECT_DOUBLE_EQ(all_reduce.bus_factor(8), 1.75);
  EXPECT_DOUBLE_EQ(all_gather.bus_factor(4), 0.75);
  EXPECT_DOUBLE_EQ(reduce_scatter.bus_factor(8), 0.875);
}

TEST(Traffic, OneRankCrossesNoLink) {
  for (const Traffic& row : kAll) EXPECT_EQ(row.bus_factor(1), 0.0) << row.name;
}

TEST(Traffic, ABusFactorIsWhatARingSendsPerRank) {
  // In a ring a rank sends one block of S/n in each round, so S * rounds / n bytes in all.
  for (const Traffic& row : kAll) {
    for (const int n : {2, 3, 4, 7, 8, 64}) {
      EXPECT_DOUBLE_EQ(row.bus_factor(n), static_cast<double>(row.rounds(n)) / n) << row.name;
    }
  }
}

TEST(Traffic, AllReduceIsAReduceScatterAndAnAllGather) {
  for (const int n : {2, 3, 8}) {
    EXPECT_DOUBLE_EQ(all_reduce.bus_factor(n),
                     reduce_scatter.bus_factor(n) + all_gather.bus_factor(n));
  }
}

TEST(Traffic, BlocksAreWholeSixteenBytes) {
  EXPECT_EQ(block_count(all_gather, 1024, DataType::float32, 3), 84U);  // 85.3, cut to 4s
  EXPECT_EQ(message_bytes(all_gather, 84, DataType::float32, 3), 1008U);
  EXPECT_EQ(block_count(all_gather, 47, DataType::float32, 3), 0U);
  EXPECT_EQ(block_count(reduce_scatter, 1024, DataType::half, 5), 96U);  // 102.4, cut to 8s
  EXPECT_EQ(block_count(all_reduce, 1023, DataType::float32, 3), 255U);  // whole elements only
}

TEST(Traffic, SizesAre64Bit) {
  const Bytes big = (1ULL << 40) * 3;
  EXPECT_EQ(
      message_bytes(all_gather, block_count(all_gather, big, DataType::half, 3), DataType::half, 3),
      big);
}

TEST(Traffic, BytesOfTheBuffers) {
  EXPECT_EQ(send_bytes(all_gather, 8, DataType::float32, 4), 32U);
  EXPECT_EQ(recv_bytes(all_gather, 8, DataType::float32, 4), 128U);
  EXPECT_EQ(send_bytes(reduce_scatter, 8, DataType::half, 4), 64U);
  EXPECT_EQ(recv_bytes(reduce_scatter, 8, DataType::half, 4), 16U);
  EXPECT_EQ(send_bytes(all_reduce, 8, DataType::half, 4),
            recv_bytes(all_reduce, 8, DataType::half, 4));
}

TEST(Traffic, RowsStandInTheOrderOfTheEnum) {
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kAll[i].collective), i);
  }
}

}  // namespace
}  // namespace collbench::traffic
