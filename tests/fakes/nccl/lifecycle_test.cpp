// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include "../cuda/in_child.h"
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

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

TEST(Lifecycle, VariablesMustBeKnown) {
  expect_refusal(
      {{"FAKE_NCCL_FAULT", "any=hang"}}, [] { new_id(); },
      "FAKE_NCCL_FAULT is not a variable of the fakes");
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

TEST(Lifecycle, NonBlockingOperationsAreInProgressUntilEnqueued) {
  const ncclUniqueId id = new_id();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank) {
    threads.emplace_back([=] {
      ncclConfig_t config = non_blocking();
      ncclComm_t comm;
      cudaStream_t stream;
      EXPECT_CUDA(cudaSetDevice(rank));
      EXPECT_CUDA(cudaStreamCreate(&stream));
      EXPECT_EQ(ncclCommInitRankConfig(&comm, 2, id, rank, &config), ncclInProgress);
      EXPECT_EQ(settled(comm), ncclSuccess);
      Buffer<int> buffer(1, 7);
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(ncclAllReduce(buffer.at(), buffer.at(), 1, ncclInt32, ncclSum, comm, stream),
                  ncclInProgress);
        EXPECT_EQ(settled(comm), ncclSuccess);
      }
      EXPECT_CUDA(cudaStreamSynchronize(stream));
      EXPECT_EQ(buffer.read()[0], 56);
      EXPECT_EQ(ncclCommFinalize(comm), ncclInProgress);
      EXPECT_EQ(settled(comm), ncclSuccess);
      EXPECT_NCCL(ncclCommDestroy(comm));
      EXPECT_CUDA(cudaStreamDestroy(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Lifecycle, RevokedCommunicatorsCanOnlyEndOrBeDerivedFrom) {
  with_ranks(2, [](Rank& r) {
    Buffer<int> buffer(1, 7);
    const auto sum = [&](ncclComm_t comm) {
      return ncclAllReduce(buffer.at(), buffer.at(), 1, ncclInt32, ncclSum, comm, r.stream);
    };
    if (r.rank == 0) {
      EXPECT_NCCL(sum(r.comm));  // alone
    }
    EXPECT_EQ(ncclCommRevoke(r.comm, 1), ncclInvalidArgument);
    EXPECT_NCCL(ncclCommRevoke(r.comm, NCCL_REVOKE_DEFAULT));
    r.synchronize();
    EXPECT_EQ(sum(r.comm), ncclInvalidUsage);
    EXPECT_EQ(ncclCommFinalize(r.comm), ncclInvalidUsage);
    EXPECT_EQ(ncclCommRevoke(r.comm, NCCL_REVOKE_DEFAULT), ncclInvalidArgument);
    ncclComm_t child = nullptr;
    EXPECT_NCCL(ncclCommSplit(r.comm, 0, r.rank, &child, nullptr));
    EXPECT_NCCL(sum(child));
    EXPECT_NCCL(ncclCommDestroy(child));
    EXPECT_EQ(buffer.read()[0], 14);
  });
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
