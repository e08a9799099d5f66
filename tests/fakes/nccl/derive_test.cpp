// SPDX-License-Identifier: Apache-2.0
// Communicators made from others.
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

/// What an all-reduce of the ranks' numbers in the parent gives on a child.
int sum_of_parents(const Rank& parent, ncclComm_t child) {
  Buffer<int> buffer(1, 1 << parent.rank);
  EXPECT_NCCL(ncclAllReduce(buffer.at(), buffer.at(), 1, ncclInt32, ncclSum, child, parent.stream));
  parent.synchronize();
  return buffer.read()[0];
}

int rank_in(ncclComm_t comm) {
  int rank = -1;
  EXPECT_NCCL(ncclCommUserRank(comm, &rank));
  return rank;
}

TEST(Split, ByColorInTheOrderOfKeys) {
  with_ranks(4, [](Rank& r) {
    ncclComm_t child = nullptr;
    EXPECT_NCCL(ncclCommSplit(r.comm, r.rank % 2, -r.rank, &child, nullptr));
    EXPECT_EQ(rank_in(child), 1 - r.rank / 2) << "keys fall with ranks";
    EXPECT_EQ(sum_of_parents(r, child), r.rank % 2 == 0 ? 0b0101 : 0b1010);
    ncclComm_t grandchild = nullptr;
    EXPECT_NCCL(ncclCommSplit(child, 0, 0, &grandchild, nullptr));
    EXPECT_EQ(rank_in(grandchild), rank_in(child)) << "equal keys keep the order";
    EXPECT_NCCL(ncclCommDestroy(grandchild));
    EXPECT_NCCL(ncclCommDestroy(child));
  });
}

TEST(Split, RanksWithoutAColorGetNone) {
  with_ranks(3, [](Rank& r) {
    ncclComm_t child = r.comm;
    const int color = r.rank == 1 ? NCCL_SPLIT_NOCOLOR : 5;
    EXPECT_NCCL(ncclCommSplit(r.comm, color, r.rank, &child, nullptr));
    if (r.rank == 1) {
      EXPECT_EQ(child, nullptr);
    } else {
      EXPECT_EQ(sum_of_parents(r, child), 0b101);
      EXPECT_NCCL(ncclCommDestroy(child));
    }
    EXPECT_EQ(ncclCommSplit(r.comm, -7, 0, &child, nullptr), ncclInvalidArgument);
  });
}

TEST(Split, MayRepeat) {
  with_ranks(3, [](Rank& r) {
    for (int i = 0; i < 20; ++i) {
      ncclComm_t child = nullptr;
      EXPECT_NCCL(ncclCommSplit(r.comm, (r.rank + i) % 2, i, &child, nullptr));
      EXPECT_NCCL(ncclCommDestroy(child));
    }
    EXPECT_EQ(sum_of_parents(r, r.comm), 0b111);
  });
}

TEST(Split, OneThreadSplitsSeveralRanksInAGroup) {
  ncclComm_t comms[2], children[2];
  ASSERT_EQ(ncclCommInitAll(comms, 2, nullptr), ncclSuccess);
  EXPECT_NCCL(ncclGroupStart());
  for (int i = 0; i < 2; ++i) EXPECT_NCCL(ncclCommSplit(comms[i], 0, -i, &children[i], nullptr));
  EXPECT_NCCL(ncclGroupEnd());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(rank_in(children[i]), 1 - i);
    EXPECT_NCCL(ncclCommDestroy(children[i]));
    EXPECT_NCCL(ncclCommDestroy(comms[i]));
  }
}

TEST(Split, OfNonBlockingCommunicatorsIsInProgress) {
  ncclUniqueId id;
  EXPECT_NCCL(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank) {
    threads.emplace_back([=] {
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      config.blocking = 0;
      ncclComm_t comm, child;
      EXPECT_CUDA(cudaSetDevice(rank));
      EXPECT_EQ(ncclCommInitRankConfig(&comm, 2, id, rank, &config), ncclInProgress);
      EXPECT_EQ(settled(comm), ncclSuccess);
      EXPECT_EQ(ncclCommSplit(comm, 0, rank, &child, nullptr), ncclInProgress)
          << "it inherits that";
      EXPECT_EQ(settled(child), ncclSuccess);
      EXPECT_EQ(settled(comm), ncclSuccess);
      EXPECT_EQ(rank_in(child), rank);
      EXPECT_NCCL(ncclCommDestroy(child));
      EXPECT_NCCL(ncclCommDestroy(comm));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Shrink, LeavesTheExcludedOut) {
  with_ranks(3, [](Rank& r) {
    int excluded[] = {1};
    ncclComm_t child = nullptr;
    if (r.rank == 1) {
      EXPECT_EQ(ncclCommShrink(r.comm, excluded, 1, &child, nullptr, NCCL_SHRINK_DEFAULT),
                ncclInvalidArgument);
    } else {
      EXPECT_NCCL(ncclCommShrink(r.comm, excluded, 1, &child, nullptr, NCCL_SHRINK_DEFAULT));
      EXPECT_EQ(rank_in(child), r.rank / 2);
      EXPECT_EQ(sum_of_parents(r, child), 0b101);
      EXPECT_NCCL(ncclCommDestroy(child));
    }
    EXPECT_EQ(sum_of_parents(r, r.comm), 0b111) << "the parent goes on";
  });
}

TEST(Shrink, EndsWorkOfTheParentWhenAsked) {
  with_ranks(3, [](Rank& r) {
    if (r.rank == 2) return;  // it never calls
    Buffer<int> buffer(1, 9);
    EXPECT_NCCL(ncclAllReduce(buffer.at(), buffer.at(), 1, ncclInt32, ncclSum, r.comm, r.stream));
    int excluded[] = {2};
    ncclComm_t child = nullptr;
    EXPECT_NCCL(ncclCommShrink(r.comm, excluded, 1, &child, nullptr, NCCL_SHRINK_ABORT));
    r.synchronize();
    EXPECT_EQ(buffer.read()[0], 9);
    EXPECT_EQ(sum_of_parents(r, child), 0b11);
    EXPECT_NCCL(ncclCommDestroy(child));
    EXPECT_NCCL(ncclCommAbort(r.comm));
    r.comm = nullptr;
  });
}

TEST(Shrink, WrongListsAreRefused) {
  with_ranks(2, [](Rank& r) {
    int nobody[] = {7};
    int twice[] = {1 - r.rank, 1 - r.rank};
    ncclComm_t child;
    EXPECT_EQ(ncclCommShrink(r.comm, nobody, 1, &child, nullptr, 0), ncclInvalidArgument);
    EXPECT_EQ(ncclCommShrink(r.comm, twice, 2, &child, nullptr, 0), ncclInvalidArgument);
    EXPECT_EQ(ncclCommShrink(r.comm, twice, 0, &child, nullptr, 0), ncclInvalidArgument);
    EXPECT_EQ(ncclCommShrink(r.comm, twice, 1, &child, nullptr, 64), ncclInvalidArgument);
  });
}

}  // namespace
}  // namespace fakenccl::test
