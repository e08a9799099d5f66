// SPDX-License-Identifier: Apache-2.0
#include "../cuda/gate.h"
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

ncclResult_t all_reduce(Buffer<int>& buffer, ncclComm_t comm, cudaStream_t stream) {
  return ncclAllReduce(buffer.at(), buffer.at(), 1, ncclInt32, ncclSum, comm, stream);
}

TEST(Group, NestsAndStartsNothingBeforeTheOutermostEnd) {
  with_ranks(1, [](Rank& r) {
    Buffer<int> in(1, 7), out(1, 0);
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclAllReduce(in.at(), out.at(), 1, ncclInt32, ncclSum, r.comm, r.stream));
    EXPECT_NCCL(ncclGroupEnd());
    r.synchronize();
    EXPECT_EQ(out.read()[0], 0);
    EXPECT_NCCL(ncclGroupEnd());
    r.synchronize();
    EXPECT_EQ(out.read()[0], 7);
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  });
}

TEST(Group, OneThreadDrivesSeveralRanks) {
  ncclComm_t comms[2];
  ASSERT_EQ(ncclCommInitAll(comms, 2, nullptr), ncclSuccess);
  Buffer<int> first(1, 1), second(1, 2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(all_reduce(first, comms[0], nullptr));  // NULL: that of the communicator's GPU
    EXPECT_NCCL(all_reduce(second, comms[1], nullptr));
    EXPECT_NCCL(ncclGroupEnd());
  }
  for (int device = 0; device < 2; ++device) {
    EXPECT_CUDA(cudaSetDevice(device));
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_NCCL(ncclCommDestroy(comms[device]));
  }
  EXPECT_EQ(first.read()[0], 12);
  EXPECT_EQ(second.read()[0], 12);
}

TEST(Group, CollectivesKeepTheirOrder) {
  with_ranks(2, [](Rank& r) {
    Buffer<int> buffer(1, 1);
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(all_reduce(buffer, r.comm, r.stream));
    EXPECT_NCCL(ncclAllReduce(buffer.at(), buffer.at(), 1, ncclInt32, ncclProd, r.comm, r.stream));
    EXPECT_NCCL(all_reduce(buffer, r.comm, r.stream));
    EXPECT_NCCL(ncclGroupEnd());
    r.synchronize();
    EXPECT_EQ(buffer.read()[0], 8) << "((1 + 1) squared) doubled";
  });
}

TEST(Group, ARefusedCallIsSaidAgainAtTheEndAndNothingStarts) {
  with_ranks(1, [](Rank& r) {
    Buffer<int> in(1, 7), out(1, 0);
    int host = 0;
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclAllReduce(in.at(), out.at(), 1, ncclInt32, ncclSum, r.comm, r.stream));
    EXPECT_EQ(ncclAllReduce(&host, out.at(), 1, ncclInt32, ncclSum, r.comm, r.stream),
              ncclInvalidArgument);
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
    r.synchronize();
    EXPECT_EQ(out.read()[0], 0);
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclGroupEnd()) << "the next group is a new one";
  });
}

TEST(Group, MakingAndUsingCommunicatorsDoNotMix) {
  with_ranks(1, [](Rank& r) {
    ncclUniqueId id;
    EXPECT_NCCL(ncclGetUniqueId(&id));
    Buffer<int> buffer(1, 7);
    ncclComm_t comm;
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclCommInitRank(&comm, 1, id, 0));
    EXPECT_NCCL(all_reduce(buffer, r.comm, r.stream));
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
    EXPECT_EQ(comm, nullptr);
  });
}

TEST(Group, BlockingAndNonBlockingDoNotMix) {
  ncclUniqueId ids[2];
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t comms[2];
  for (ncclUniqueId& id : ids) EXPECT_NCCL(ncclGetUniqueId(&id));
  EXPECT_NCCL(ncclGroupStart());
  EXPECT_NCCL(ncclCommInitRank(&comms[0], 1, ids[0], 0));
  EXPECT_EQ(ncclCommInitRankConfig(&comms[1], 1, ids[1], 0, &config), ncclInProgress);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
}

/// A group on the rank's stream and a second one, of which `held` is held up: then neither goes on.
void expect_both_wait(const Rank& r, cudaStream_t second, cudaStream_t held) {
  Buffer<int> in(1, 7), out(1, 0), other(1, 0);
  {
    const Gate gate(held);
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclAllReduce(in.at(), out.at(), 1, ncclInt32, ncclSum, r.comm, r.stream));
    EXPECT_NCCL(ncclAllReduce(in.at(), other.at(), 1, ncclInt32, ncclSum, r.comm, second));
    EXPECT_NCCL(ncclGroupEnd());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(cudaStreamQuery(r.stream), cudaErrorNotReady);
    EXPECT_EQ(cudaStreamQuery(second), cudaErrorNotReady);
  }
  EXPECT_CUDA(cudaStreamSynchronize(second));
  EXPECT_EQ(out.read()[0] + other.read()[0], 14);
}

TEST(Group, StreamsOfOneCommunicatorAreGatedToTheFirst) {
  with_ranks(1, [](Rank& r) {
    cudaStream_t second;
    EXPECT_CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    expect_both_wait(r, second, second);
    expect_both_wait(r, second, r.stream);
    EXPECT_CUDA(cudaStreamDestroy(second));
  });
}

TEST(Group, OneCommunicatorsWorkKeepsItsOrderOverStreams) {
  with_ranks(2, [](Rank& r) {
    cudaStream_t second;
    EXPECT_CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    Buffer<int> first_buffer(1, 1), second_buffer(1, 1);
    {
      // Rank 0 holds up the first call only, rank 1 none: out of order they would meet wrongly.
      const Gate gate(r.rank == 0 ? r.stream : second);
      EXPECT_NCCL(all_reduce(first_buffer, r.comm, r.stream));
      EXPECT_NCCL(ncclAllReduce(second_buffer.at(), second_buffer.at(), 1, ncclInt32, ncclMax,
                                r.comm, second));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    r.synchronize();
    EXPECT_CUDA(cudaStreamSynchronize(second));
    ncclResult_t state = ncclInternalError;
    EXPECT_NCCL(ncclCommGetAsyncError(r.comm, &state));
    EXPECT_EQ(state, ncclSuccess);
    EXPECT_EQ(first_buffer.read()[0], 2);
    EXPECT_CUDA(cudaStreamDestroy(second));
  });
}

}  // namespace
}  // namespace fakenccl::test
