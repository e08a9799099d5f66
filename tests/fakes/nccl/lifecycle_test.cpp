// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include "../cuda/in_child.h"
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

ncclUniqueId new_id() {
  ncclUniqueId id;
  EXPECT_NCCL(ncclGetUniqueId(&id));
  return id;
}

ncclConfig_t non_blocking() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  return config;
}

/// How many files and mappings of communicators this process has.
int remains() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    count += std::filesystem::read_symlink(entry.path(), gone).string().find("fake_nccl") !=
             std::string::npos;
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    count += line.find("memfd:fake_nccl") != std::string::npos;
  }
  return count;
}

TEST(Lifecycle, NothingRemainsOfACommunicator) {
  expect_in_child({}, [] {
    with_ranks(2, [](Rank& r) {
      const int seen = r.rank == 0 ? remains() : 2;
      EXPECT_EQ(seen, 2) << "two mappings, and no file once all have joined";
      Buffer<int> buffer(1);
      EXPECT_NCCL(ncclAllReduce(buffer.at(), buffer.at(), 1, ncclInt32, ncclSum, r.comm, r.stream));
      r.synchronize();
    });
    EXPECT_EQ(remains(), 0);
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      EXPECT_EQ(entry.path().string().find("fake_nccl"), std::string::npos) << entry.path();
    }
  });
}

void expect_version(int expected) {
  int version = 0;
  EXPECT_NCCL(ncclGetVersion(&version));
  EXPECT_EQ(version, expected);
}

TEST(Lifecycle, VersionIsTheHeaders) { expect_version(NCCL_VERSION_CODE); }

TEST(Lifecycle, VersionMayBeAnother) {
  expect_in_child({{"FAKE_NCCL_VERSION", "21903"}}, [] { expect_version(21903); });
}

TEST(Lifecycle, VersionMustBeANumber) {
  expect_refusal(
      {{"FAKE_NCCL_VERSION", "2.19"}}, [] { expect_version(0); },
      "FAKE_NCCL_VERSION=2.19 is not a number from 1");
}

TEST(Lifecycle, CommunicatorKnowsItsPlace) {
  with_ranks(3, [](Rank& r) {
    int count = 0, device = -1, rank = -1;
    EXPECT_NCCL(ncclCommCount(r.comm, &count));
    EXPECT_NCCL(ncclCommCuDevice(r.comm, &device));
    EXPECT_NCCL(ncclCommUserRank(r.comm, &rank));
    EXPECT_EQ(count, 3);
    EXPECT_EQ(device, r.rank);
    EXPECT_EQ(rank, r.rank);
    ncclResult_t state = ncclInternalError;
    EXPECT_NCCL(ncclCommGetAsyncError(r.comm, &state));
    EXPECT_EQ(state, ncclSuccess);
  });
}

TEST(Lifecycle, OneThreadMakesSeveralRanksInAGroup) {
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

TEST(Lifecycle, InitAllTakesAListOfDevices) {
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

TEST(Lifecycle, ScalableInitTakesSeveralIds) {
  ncclUniqueId ids[2] = {new_id(), new_id()};
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  ncclComm_t comm;
  EXPECT_EQ(ncclCommInitRankScalable(&comm, 1, 0, 2, ids, &config), ncclInvalidArgument);
  EXPECT_NCCL(ncclCommInitRankScalable(&comm, 1, 0, 1, ids, &config));
  EXPECT_NCCL(ncclCommDestroy(comm));
}

TEST(Lifecycle, WrongArgumentsAreRefused) {
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

TEST(Lifecycle, AnIdServesOnce) {
  const ncclUniqueId id = new_id();
  ncclComm_t first, second;
  EXPECT_NCCL(ncclCommInitRank(&first, 1, id, 0));
  EXPECT_EQ(ncclCommInitRank(&second, 1, id, 0), ncclSystemError);
  EXPECT_NCCL(ncclCommDestroy(first));
}

TEST(Lifecycle, RanksMustAgreeOnTheirNumberAndPlaces) {
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

TEST(Lifecycle, TwoRanksOnOneGpuAreRefused) {
  EXPECT_EQ(init_two_on_one_gpu(), ncclInvalidUsage);
  EXPECT_NE(std::string(ncclGetLastError(nullptr)).find("Duplicate GPU"), std::string::npos);
}

TEST(Lifecycle, TwoRanksOnOneGpuMayBeAllowed) {
  expect_in_child({{"NCCL_MULTI_RANK_GPU_ENABLE", "1"}},
                  [] { EXPECT_EQ(init_two_on_one_gpu(), ncclSuccess); });
}

TEST(Lifecycle, NonBlockingInitIsInProgressUntilAllAreThere) {
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

TEST(Lifecycle, NonBlockingOperationsAreInProgressUntilEnqueued) {
  ncclConfig_t config = non_blocking();
  ncclComm_t comm;
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 1, new_id(), 0, &config), ncclInProgress);
  EXPECT_EQ(settled(comm), ncclSuccess);
  cudaStream_t stream;
  EXPECT_CUDA(cudaStreamCreate(&stream));
  Buffer<int> in(1, 7), out(1);
  EXPECT_EQ(ncclAllReduce(in.at(), out.at(), 1, ncclInt32, ncclSum, comm, stream), ncclInProgress);
  EXPECT_EQ(settled(comm), ncclSuccess);
  EXPECT_CUDA(cudaStreamSynchronize(stream));
  EXPECT_EQ(out.read()[0], 7);
  EXPECT_EQ(ncclCommFinalize(comm), ncclInProgress);
  EXPECT_EQ(settled(comm), ncclSuccess);
  EXPECT_NCCL(ncclCommDestroy(comm));
  EXPECT_CUDA(cudaStreamDestroy(stream));
}

TEST(Lifecycle, FinalizedCommunicatorsTakeNoWork) {
  with_ranks(1, [](Rank& r) {
    Buffer<int> buffer(1, 7);
    EXPECT_NCCL(ncclCommFinalize(r.comm));
    EXPECT_EQ(ncclAllReduce(buffer.at(), buffer.at(), 1, ncclInt32, ncclSum, r.comm, r.stream),
              ncclInvalidArgument);
    EXPECT_EQ(ncclCommFinalize(r.comm), ncclInvalidArgument);
  });
}

TEST(Lifecycle, DestroyWaitsForWhatIsIssued) {
  with_ranks(2, [](Rank& r) {
    Buffer<int> buffer(300000, r.rank);
    for (int i = 0; i < 5; ++i) {
      EXPECT_NCCL(
          ncclAllReduce(buffer.at(), buffer.at(), 300000, ncclInt32, ncclMax, r.comm, r.stream));
    }
    EXPECT_NCCL(ncclCommDestroy(r.comm));
    r.comm = nullptr;
    EXPECT_CUDA(cudaStreamQuery(r.stream));
    EXPECT_EQ(buffer.read(), std::vector<int>(300000, 1));
  });
}

TEST(Lifecycle, AbortFromAnotherThreadEndsWhatHangs) {
  with_ranks(2, [](Rank& r) {
    if (r.rank == 1) return;
    Buffer<int> buffer(1000, 5);
    EXPECT_NCCL(
        ncclAllReduce(buffer.at(), buffer.at(), 1000, ncclInt32, ncclSum, r.comm, r.stream));
    EXPECT_NCCL(
        ncclAllReduce(buffer.at(), buffer.at(), 1000, ncclInt32, ncclSum, r.comm, r.stream));
    std::thread watchdog([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(cudaStreamQuery(r.stream), cudaErrorNotReady);
      EXPECT_NCCL(ncclCommAbort(r.comm));
    });
    r.synchronize();
    watchdog.join();
    r.comm = nullptr;
    EXPECT_EQ(buffer.read()[0], 5);
  });
}

}  // namespace
}  // namespace fakenccl::test
