// SPDX-License-Identifier: Apache-2.0
#include "traffic/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace collbench::traffic {
namespace {

TEST(Sizes, BlocksAreWholeSixteenBytes) {
  EXPECT_EQ(block_count(all_gather, 1024, DataType::float32, 3), 84U);  // 85.3, cut to 4s
  EXPECT_EQ(message_bytes(all_gather, 84, DataType::float32, 3), 1008U);
  EXPECT_EQ(block_count(all_gather, 47, DataType::float32, 3), 0U);
  EXPECT_EQ(block_count(reduce_scatter, 1024, DataType::half, 5), 96U);  // 102.4, cut to 8s
  EXPECT_EQ(block_count(all_reduce, 1023, DataType::float32, 3), 255U);  // whole elements only
}

TEST(Sizes, EveryShardedCollectiveCutsItsMessageAlike) {
  for (const Traffic& row :
       {all_gather, reduce_scatter, alltoall, alltoallv, gather, scatter, hypercube}) {
    EXPECT_TRUE(is_sharded(row)) << row.name;
    EXPECT_EQ(block_count(row, 100, DataType::float32, 4), 4U) << row.name;  // 6.25, cut to 4s
    EXPECT_EQ(message_bytes(row, 4, DataType::float32, 4), 64U) << row.name;
  }
  for (const Traffic& row : {all_reduce, broadcast, reduce, sendrecv}) {
    EXPECT_FALSE(is_sharded(row)) << row.name;
    EXPECT_EQ(block_count(row, 102, DataType::float32, 4), 25U) << row.name;
    EXPECT_EQ(message_bytes(row, 25, DataType::float32, 4), 100U) << row.name;
  }
}

TEST(Sizes, Are64Bit) {
  const Bytes big = (1ULL << 40) * 3;
  EXPECT_EQ(
      message_bytes(all_gather, block_count(all_gather, big, DataType::half, 3), DataType::half, 3),
      big);
}

TEST(Sizes, BytesOfTheBuffers) {
  EXPECT_EQ(send_bytes(all_gather, 8, DataType::float32, 4), 32U);
  EXPECT_EQ(recv_bytes(all_gather, 8, DataType::float32, 4), 128U);
  EXPECT_EQ(send_bytes(reduce_scatter, 8, DataType::half, 4), 64U);
  EXPECT_EQ(recv_bytes(reduce_scatter, 8, DataType::half, 4), 16U);
  EXPECT_EQ(send_bytes(alltoall, 8, DataType::half, 4), 64U);
  EXPECT_EQ(recv_bytes(alltoall, 8, DataType::half, 4), 64U);
  EXPECT_EQ(send_bytes(scatter, 8, DataType::float32, 4), 128U);
  EXPECT_EQ(recv_bytes(gather, 8, DataType::float32, 4), 128U);
  EXPECT_EQ(send_bytes(sendrecv, 8, DataType::half, 4), 16U);
}

// S is the largest number of bytes that one rank holds.
TEST(Sizes, TheMessageIsTheLargerBuffer) {
  for (const Traffic& row : kAll) {
    EXPECT_EQ(
        message_bytes(row, 8, DataType::half, 3),
        std::max(send_bytes(row, 8, DataType::half, 3), recv_bytes(row, 8, DataType::half, 3)))
        << row.name;
  }
}

TEST(Sizes, OnlyTheHypercubeChoosesItsRanks) {
  for (const Traffic& row : kAll) {
    for (const int ranks : {1, 2, 4, 64}) EXPECT_EQ(why_not_on(row, ranks), "") << row.name;
    const bool chooses = row.collective == Collective::hypercube;
    EXPECT_EQ(why_not_on(row, 3), chooses ? "hypercube needs a power of two of ranks, not 3" : "");
  }
  EXPECT_NE(why_not_on(hypercube, 12), "");
}

TEST(Sizes, InPlaceIsRefusedWhereDataWouldBeOverwritten) {
  EXPECT_EQ(why_not_in_place(sendrecv),
            "in place, sendrecv would overwrite what it has yet to send");
  EXPECT_NE(why_not_in_place(alltoall), "");
  EXPECT_NE(why_not_in_place(alltoallv), "");
  for (const Traffic& row :
       {all_reduce, all_gather, reduce_scatter, broadcast, reduce, gather, scatter, hypercube}) {
    EXPECT_EQ(why_not_in_place(row), "") << row.name;
  }
}

}  // namespace
}  // namespace collbench::traffic
