// SPDX-License-Identifier: Apache-2.0
// FAKE_CUDA_INLINE=1 on one rank: what the calls themselves cost is measured that way.
#include "../cuda/in_child.h"
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

const Environment kInline = {{"FAKE_CUDA_INLINE", "1"}};

TEST(ShortCut, IsDoneWhenTheCallReturns) {
  expect_in_child(kInline, [] {
    with_ranks(1, [](Rank& r) {
      Buffer<float> in(2, 7), out(2), all(2);
      EXPECT_NCCL(ncclAllReduce(in.at(), out.at(), 2, ncclFloat32, ncclSum, r.comm, r.stream));
      EXPECT_EQ(out.read()[1], 7);
      EXPECT_NCCL(ncclGroupStart());
      EXPECT_NCCL(ncclAllGather(in.at(), all.at(), 2, ncclFloat32, r.comm, r.stream));
      EXPECT_EQ(all.read()[0], 0);
      EXPECT_NCCL(ncclGroupEnd());
      EXPECT_EQ(all.read()[0], 7);
    });
  });
}

TEST(ShortCut, IsNotTakenByMessagesOrInACapture) {
  expect_in_child(kInline, [] {
    with_ranks(1, [](Rank& r) {
      Buffer<float> in(2, 7), out(2);
      EXPECT_NCCL(ncclGroupStart());
      EXPECT_NCCL(ncclSend(in.at(), 2, ncclFloat32, 0, r.comm, r.stream));
      EXPECT_NCCL(ncclRecv(out.at(), 2, ncclFloat32, 0, r.comm, r.stream));
      EXPECT_NCCL(ncclGroupEnd());
      EXPECT_EQ(out.read()[1], 7);
      in.write({8, 8});
      cudaGraph_t graph;
      EXPECT_CUDA(cudaStreamBeginCapture(r.stream, cudaStreamCaptureModeThreadLocal));
      EXPECT_NCCL(ncclAllReduce(in.at(), out.at(), 2, ncclFloat32, ncclSum, r.comm, r.stream));
      EXPECT_CUDA(cudaStreamEndCapture(r.stream, &graph));
      EXPECT_EQ(out.read()[1], 7);
      EXPECT_CUDA(cudaGraphDestroy(graph));
    });
  });
}

}  // namespace
}  // namespace fakenccl::test
