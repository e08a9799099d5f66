// SPDX-License-Identifier: Apache-2.0
#include "../cuda/in_child.h"
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

TEST(Init, OneThreadMakesSeveralRanksInAGroup) {
  const ncclUniqueId id = new_id();
  ncclComm_t comms[3];
  EXPECT_NCCL(ncclGroupStart());
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_CUDA(cudaSetDevice(rank));
    EXPECT_NCCL(ncclCommInitRank(&comms[rank], 3, id, rank));
  }
  EXPECT_NCCL(ncclGroupEnd());
  for (int rank = 0; rank < 3; ++rank) {
    int device = -1;
    EXPECT_NCCL(ncclCommCuDevice(comms[rank], &device));
    EXPECT_EQ(device, rank);
    EXPECT_NCCL(ncclCommDestroy(comms[rank]));
  }
}

TEST(Init, InitAllTakesAListOfDevices) {
  const int devices[] = {3, 1};
  EXPECT_CUDA(cudaSetDevice(5));
  ncclComm_t comms[2];
  EXPECT_NCCL(ncclCommInitAll(comms, 2, devices));
  int device = -1;
  EXPECT_NCCL(ncclCommCuDevice(comms[0], &device));
  EXPECT_EQ(device, 3);
  EXPECT_CUDA(cudaGetDevice(&device));
  EXPECT_EQ(device, 5);
  for (ncclComm_t comm : comms) EXPECT_NCCL(ncclCommDestroy(comm));
  EXPECT_EQ(ncclCommInitAll(comms, 99, nullptr), ncclInvalidArgument);
}

TEST(Init, ScalableInitTakesSeveralIds) {
  ncclUniqueId ids[2] = {new_id(), new_id()};
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  ncclComm_t comm;
  EXPECT_EQ(ncclCommInitRankScalable(&comm, 1, 0, 2, ids, &config), ncclInvalidArgument);
  EXPECT_NCCL(ncclCommInitRankScalable(&comm, 1, 0, 1, ids, &config));
  EXPECT_NCCL(ncclCommDestroy(comm));
}

TEST(Init, WrongArgumentsAreRefused) {
  ncclComm_t comm;
  EXPECT_EQ(ncclGetUniqueId(nullptr), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&comm, 2, new_id(), 2), ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(nullptr), "rank 2 of 2");
  EXPECT_EQ(ncclCommInitRank(&comm, 0, new_id(), 0), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(nullptr, 1, new_id(), 0), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&comm, 1, ncclUniqueId{}, 0), ncclInvalidArgument);
  EXPECT_EQ(comm, nullptr);
  ncclConfig_t config{};
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 1, new_id(), 0, &config), ncclInvalidArgument);
  config = NCCL_CONFIG_INITIALIZER;
  config.minCTAs = 8;
  config.maxCTAs = 4;
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 1, new_id(), 0, &config), ncclInvalidArgument);
  config.maxCTAs = 8;
  EXPECT_NCCL(ncclCommInitRankConfig(&comm, 1, new_id(), 0, &config));
  EXPECT_EQ(ncclCommCount(comm, nullptr), ncclInvalidArgument);
  EXPECT_NCCL(ncclCommDestroy(comm));
  EXPECT_EQ(ncclCommDestroy(nullptr), ncclSuccess);
}

TEST(Init, AnIdServesOnce) {
  const ncclUniqueId id = new_id();
  ncclComm_t first, second;
  EXPECT_NCCL(ncclCommInitRank(&first, 1, id, 0));
  EXPECT_EQ(ncclCommInitRank(&second, 1, id, 0), ncclSystemError);
  EXPECT_NCCL(ncclCommDestroy(first));
}

TEST(Init, RanksMustAgreeOnTheirNumberAndPlaces) {
  const ncclUniqueId id = new_id();
  ncclConfig_t config = non_blocking();
  ncclComm_t waiting, other;
  EXPECT_EQ(ncclCommInitRankConfig(&waiting, 3, id, 0, &config), ncclInProgress);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(ncclCommInitRank(&other, 2, id, 1), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&other, 3, id, 0), ncclInvalidUsage);
  EXPECT_NCCL(ncclCommAbort(waiting));
}

ncclResult_t init_two_on_one_gpu() {
  const ncclUniqueId id = new_id();
  ncclComm_t comms[2];
  EXPECT_CUDA(cudaSetDevice(1));
  EXPECT_NCCL(ncclGroupStart());
  for (int rank = 0; rank < 2; ++rank) EXPECT_NCCL(ncclCommInitRank(&comms[rank], 2, id, rank));
  const ncclResult_t result = ncclGroupEnd();
  if (result == ncclSuccess) {
    for (ncclComm_t comm : comms) EXPECT_NCCL(ncclCommDestroy(comm));
  }
  return result;
}

TEST(Init, TwoRanksOnOneGpuAreRefused) {
  EXPECT_EQ(init_two_on_one_gpu(), ncclInvalidUsage);
  EXPECT_NE(std::string(ncclGetLastError(nullptr)).find("Duplicate GPU"), std::string::npos);
}

TEST(Init, TwoRanksOnOneGpuMayBeAllowed) {
  expect_in_child({{"NCCL_MULTI_RANK_GPU_ENABLE", "1"}},
                  [] { EXPECT_EQ(init_two_on_one_gpu(), ncclSuccess); });
}

TEST(Init, NonBlockingInitIsInProgressUntilAllAreThere) {
  const ncclUniqueId id = new_id();
  ncclConfig_t config = non_blocking();
  ncclComm_t first, second;
  EXPECT_CUDA(cudaSetDevice(0));
  EXPECT_EQ(ncclCommInitRankConfig(&first, 2, id, 0, &config), ncclInProgress);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  ncclResult_t state = ncclSuccess;
  EXPECT_NCCL(ncclCommGetAsyncError(first, &state));
  EXPECT_EQ(state, ncclInProgress);
  int count;
  EXPECT_EQ(ncclCommCount(first, &count), ncclInvalidArgument) << "not before it is ready";
  EXPECT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(ncclCommInitRankConfig(&second, 2, id, 1, &config), ncclInProgress);
  EXPECT_EQ(settled(first), ncclSuccess);
  EXPECT_EQ(settled(second), ncclSuccess);
  EXPECT_NCCL(ncclCommDestroy(first));
  EXPECT_NCCL(ncclCommDestroy(second));
}

}  // namespace
}  // namespace fakenccl::test
