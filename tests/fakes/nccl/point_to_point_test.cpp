// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "../cuda/in_child.h"
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

std::vector<int> numbers(std::size_t count, int first) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(PointToPoint, RingOfAllSizes) {
  with_ranks(3, [](Rank& r) {
    const int next = (r.rank + 1) % r.ranks;
    const int before = (r.rank + r.ranks - 1) % r.ranks;
    for (const std::size_t count : {0u, 1u, 13u, 65537u, 300000u}) {
      Buffer<int> send(numbers(count, r.rank * 1000));
      Buffer<int> receive(count);
      EXPECT_NCCL(ncclGroupStart());
      EXPECT_NCCL(ncclSend(send.at(), count, ncclInt32, next, r.comm, r.stream));
      EXPECT_NCCL(ncclRecv(receive.at(), count, ncclInt32, before, r.comm, r.stream));
      EXPECT_NCCL(ncclGroupEnd());
      r.synchronize();
      EXPECT_EQ(receive.read(), numbers(count, before * 1000)) << count;
    }
  });
}

TEST(PointToPoint, AllPairsProgressTogetherSelfIncluded) {
  constexpr std::size_t kCount = 70000;
  with_ranks(3, [](Rank& r) {
    Buffer<int> send(numbers(kCount * 3, r.rank * 1'000'000));
    Buffer<int> receive(kCount * 3);
    EXPECT_NCCL(ncclGroupStart());
    for (std::size_t peer = 0; peer < 3; ++peer) {
      const int to = static_cast<int>(peer);
      EXPECT_NCCL(ncclSend(send.at(peer * kCount), kCount, ncclInt32, to, r.comm, r.stream));
      EXPECT_NCCL(ncclRecv(receive.at(peer * kCount), kCount, ncclInt32, to, r.comm, r.stream));
    }
    EXPECT_NCCL(ncclGroupEnd());
    r.synchronize();
    std::vector<int> expected;
    for (int peer = 0; peer < 3; ++peer) {
      const auto block = numbers(kCount, peer * 1'000'000 + r.rank * static_cast<int>(kCount));
      expected.insert(expected.end(), block.begin(), block.end());
    }
    EXPECT_EQ(receive.read(), expected);
  });
}

TEST(PointToPoint, MessagesOfOneWayKeepTheirOrder) {
  with_ranks(2, [](Rank& r) {
    Buffer<int> buffer(numbers(4, 10 * r.rank));
    EXPECT_NCCL(ncclGroupStart());
    for (std::size_t i = 0; i < 4; ++i) {
      const ncclResult_t issued =
          r.rank == 0 ? ncclSend(buffer.at(i), 1, ncclInt32, 1, r.comm, r.stream)
                      : ncclRecv(buffer.at(3 - i), 1, ncclInt32, 0, r.comm, r.stream);
      EXPECT_NCCL(issued);
    }
    EXPECT_NCCL(ncclGroupEnd());
    r.synchronize();
    EXPECT_EQ(buffer.read(), r.rank == 0 ? numbers(4, 0) : (std::vector<int>{3, 2, 1, 0}));
  });
}

TEST(PointToPoint, SendBlocksUntilItsReceive) {
  with_ranks(2, [](Rank& r) {
    Buffer<int> send(1, r.rank), receive(1, -1);
    // Without a group, and the wrong way round: on NVIDIA's hardware this hangs for large messages.
    EXPECT_NCCL(ncclSend(send.at(), 1, ncclInt32, 1 - r.rank, r.comm, r.stream));
    EXPECT_NCCL(ncclRecv(receive.at(), 1, ncclInt32, 1 - r.rank, r.comm, r.stream));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(cudaStreamQuery(r.stream), cudaErrorNotReady);
    EXPECT_NCCL(ncclCommAbort(r.comm));
    r.comm = nullptr;
    r.synchronize();
    EXPECT_EQ(receive.read()[0], -1);
  });
}

TEST(PointToPoint, EagerMessagesPassWithoutTheirReceive) {
  expect_in_child({{"FAKE_NCCL_EAGER", "1024"}}, [] {
    with_ranks(2, [](Rank& r) {
      Buffer<int> send(300, r.rank), receive(300, -1);
      const auto exchange = [&](std::size_t count) {
        EXPECT_NCCL(ncclSend(send.at(), count, ncclInt32, 1 - r.rank, r.comm, r.stream));
        EXPECT_NCCL(ncclRecv(receive.at(), count, ncclInt32, 1 - r.rank, r.comm, r.stream));
      };
      for (int i = 0; i < 3; ++i) exchange(256);
      r.synchronize();
      EXPECT_EQ(receive.read()[255], 1 - r.rank);
      exchange(257);
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      EXPECT_EQ(cudaStreamQuery(r.stream), cudaErrorNotReady);
      EXPECT_NCCL(ncclCommAbort(r.comm));
      r.comm = nullptr;
      r.synchronize();
    });
  });
}

}  // namespace
}  // namespace fakenccl::test
