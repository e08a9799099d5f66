// SPDX-License-Identifier: Apache-2.0
// What the fake finds that NCCL does not: calls that differ between ranks, and memory of the wrong
// kind.
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

/// Runs call(rank) on two ranks, expects the asynchronous error on both, and returns what stderr
/// says.
template <class Issue>
std::string mismatch(Issue issue) {
  testing::internal::CaptureStderr();
  with_ranks(2, [&](Rank& r) {
    Buffer<int> buffer(64);
    EXPECT_NCCL(issue(r, buffer.at()));
    EXPECT_EQ(async_error(r.comm), ncclInvalidUsage);
    EXPECT_EQ(ncclAllReduce(buffer.at(), buffer.at(), 1, ncclInt32, ncclSum, r.comm, r.stream),
              ncclInvalidUsage);
    EXPECT_NCCL(ncclCommAbort(r.comm));
    r.comm = nullptr;
    r.synchronize();
  });
  return testing::internal::GetCapturedStderr();
}

TEST(Checks, CountsDiffer) {
  const std::string said = mismatch([](Rank& r, int* buffer) {
    const std::size_t count = r.rank == 0 ? 16 : 17;
    return ncclAllReduce(buffer, buffer, count, ncclInt32, ncclSum, r.comm, r.stream);
  });
  EXPECT_EQ(said,
            "fake nccl: rank 0 calls AllReduce(count 16, type 2, op 0, root 0), rank 1 calls "
            "AllReduce(count 17, type 2, op 0, root 0)\n");
}

TEST(Checks, TypesDiffer) {
  const std::string said = mismatch([](Rank& r, int* buffer) {
    const ncclDataType_t type = r.rank == 0 ? ncclInt32 : ncclFloat32;
    return ncclAllReduce(buffer, buffer, 16, type, ncclSum, r.comm, r.stream);
  });
  EXPECT_NE(said.find("type 7"), std::string::npos) << said;
}

TEST(Checks, ReductionsDiffer) {
  const std::string said = mismatch([](Rank& r, int* buffer) {
    const ncclRedOp_t op = r.rank == 0 ? ncclSum : ncclMax;
    return ncclAllReduce(buffer, buffer, 16, ncclInt32, op, r.comm, r.stream);
  });
  EXPECT_NE(said.find("op 2"), std::string::npos) << said;
}

TEST(Checks, RootsDiffer) {
  const std::string said = mismatch([](Rank& r, int* buffer) {
    return ncclBroadcast(buffer, buffer, 16, ncclInt32, r.rank, r.comm, r.stream);
  });
  EXPECT_NE(said.find("root 1"), std::string::npos) << said;
}

TEST(Checks, CollectivesDiffer) {
  const std::string said = mismatch([](Rank& r, int* buffer) {
    return r.rank == 0
               ? ncclAllGather(buffer, buffer, 16, ncclInt32, r.comm, r.stream)
               : ncclReduceScatter(buffer, buffer, 16, ncclInt32, ncclSum, r.comm, r.stream);
  });
  EXPECT_NE(said.find("rank 0 calls AllGather"), std::string::npos) << said;
  EXPECT_NE(said.find("rank 1 calls ReduceScatter"), std::string::npos) << said;
}

TEST(Checks, MessageSizesDiffer) {
  const std::string said = mismatch([](Rank& r, int* buffer) {
    return r.rank == 0 ? ncclSend(buffer, 16, ncclInt32, 1, r.comm, r.stream)
                       : ncclRecv(buffer, 8, ncclInt32, 0, r.comm, r.stream);
  });
  EXPECT_EQ(said, "fake nccl: rank 0 sends 64 bytes to rank 1, which receives 32\n");
}

TEST(Checks, BuffersAreDeviceMemoryOfEnoughBytes) {
  with_ranks(2, [](Rank& r) {
    Buffer<int> buffer(10);
    int host[10] = {};
    const auto gather = [&](const void* from, void* to, std::size_t count) {
      return ncclAllGather(from, to, count, ncclInt32, r.comm, r.stream);
    };
    EXPECT_EQ(gather(host, buffer.at(), 5), ncclInvalidArgument);
    EXPECT_EQ(gather(buffer.at(), host, 5), ncclInvalidArgument);
    EXPECT_EQ(gather(buffer.at(), buffer.at(), 6), ncclInvalidArgument)
        << "12 elements are received";
    EXPECT_EQ(gather(buffer.at(), nullptr, 5), ncclInvalidArgument);
    EXPECT_EQ(ncclSend(host, 1, ncclInt32, 0, r.comm, r.stream), ncclInvalidArgument);
    EXPECT_EQ(ncclRecv(buffer.at(9), 2, ncclInt32, 0, r.comm, r.stream), ncclInvalidArgument);
    EXPECT_NCCL(gather(buffer.at(), buffer.at(), 5));
    r.synchronize();
  });
}

TEST(Checks, OtherArgumentsOfACall) {
  with_ranks(1, [](Rank& r) {
    Buffer<int> buffer(1);
    int* const b = buffer.at();
    EXPECT_EQ(ncclAllReduce(b, b, 1, ncclInt32, ncclSum, nullptr, r.stream), ncclInvalidArgument);
    EXPECT_EQ(ncclAllReduce(b, b, 1, ncclNumTypes, ncclSum, r.comm, r.stream), ncclInvalidArgument);
    EXPECT_EQ(ncclAllReduce(b, b, 1, ncclInt32, ncclNumOps, r.comm, r.stream), ncclInvalidArgument);
    EXPECT_EQ(ncclBroadcast(b, b, 1, ncclInt32, 1, r.comm, r.stream), ncclInvalidArgument);
    EXPECT_EQ(ncclSend(b, 1, ncclInt32, -1, r.comm, r.stream), ncclInvalidArgument);
    cudaStream_t elsewhere;
    EXPECT_CUDA(cudaSetDevice(1));
    EXPECT_CUDA(cudaStreamCreate(&elsewhere));
    EXPECT_EQ(ncclAllReduce(b, b, 1, ncclInt32, ncclSum, r.comm, elsewhere), ncclInvalidArgument);
    EXPECT_CUDA(cudaStreamDestroy(elsewhere));
  });
}

}  // namespace
}  // namespace fakenccl::test
