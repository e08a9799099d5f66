// SPDX-License-Identifier: Apache-2.0
// Everything that only moves data, of every type, in and out of place.
#include <fmt/format.h>

#include "comm/nccl/nccl_test_data.h"
#include "comm/nccl/nccl_test_ranks.h"

namespace collbench {
namespace {

constexpr Count kCount = 77;

class NcclMoves : public NcclTest, public testing::WithParamInterface<int> {};

// A rank's place in a test of one type.
struct Place {
  Place(NcclRank& rank, DataType its_type) : r(rank), type(its_type) {}

  DeviceNumbers numbers(Count count) const { return {*r.device, *r.stream, type, count}; }
  Count blocks(int count) const { return kCount * static_cast<Count>(count); }
  Count all() const { return blocks(r.size); }
  Pattern from(int rank) const { return moved_pattern(type, rank); }

  NcclRank& r;
  DataType type;
};

template <class Body>
void for_each_type(int ranks, const Body& body) {
  on_ranks(ranks, [&](NcclRank& r) {
    for (const DataTypeRow& type : kDataTypes) body(Place(r, type.type));
  });
}

TEST_P(NcclMoves, AllGather) {
  for_each_type(GetParam(), [](const Place& p) {
    for (const bool in_place : {false, true}) {
      DeviceNumbers send = p.numbers(kCount);
      DeviceNumbers recv = p.numbers(p.all());
      DeviceNumbers& source = in_place ? recv : send;
      const Count at = in_place ? p.blocks(p.r.rank) : 0;
      source.fill(at, kCount, p.from(p.r.rank), 5);
      p.r.run(all_gather({source.at(at), recv.at(0)}, kCount, p.type));
      for (int rank = 0; rank < p.r.size; ++rank) {
        EXPECT_TRUE(recv.has(p.blocks(rank), kCount, p.from(rank), 5)) << name_of(p.type);
      }
      EXPECT_TRUE(recv.ends_untouched());
    }
  });
}

TEST_P(NcclMoves, Broadcast) {
  for_each_type(GetParam(), [](const Place& p) {
    for (const bool in_place : {false, true}) {
      const int root = p.r.size / 2;
      DeviceNumbers send = p.numbers(kCount);
      DeviceNumbers recv = p.numbers(kCount);
      DeviceNumbers& source = in_place ? recv : send;
      if (p.r.rank == root) source.fill(0, kCount, p.from(root), 5);
      p.r.run(broadcast({source.at(0), recv.at(0)}, kCount, p.type, root));
      EXPECT_TRUE(recv.has(0, kCount, p.from(root), 5)) << name_of(p.type);
      EXPECT_TRUE(recv.ends_untouched());
    }
  });
}

TEST_P(NcclMoves, Gather) {
  for_each_type(GetParam(), [](const Place& p) {
    for (const bool in_place : {false, true}) {
      const int root = p.r.size - 1;
      DeviceNumbers send = p.numbers(kCount);
      DeviceNumbers recv = p.numbers(p.all());
      const bool from_recv = in_place && p.r.rank == root;
      DeviceNumbers& source = from_recv ? recv : send;
      const Count at = from_recv ? p.blocks(root) : 0;
      source.fill(at, kCount, p.from(p.r.rank), 5);
      p.r.run(gather({source.at(at), recv.at(0)}, kCount, p.type, root));
      if (p.r.rank != root) {
        EXPECT_TRUE(recv.is_stale(0, p.all()));
        continue;
      }
      for (int rank = 0; rank < p.r.size; ++rank) {
        EXPECT_TRUE(recv.has(p.blocks(rank), kCount, p.from(rank), 5)) << name_of(p.type);
      }
    }
  });
}

TEST_P(NcclMoves, Scatter) {
  for_each_type(GetParam(), [](const Place& p) {
    for (const bool in_place : {false, true}) {
      const int root = 0;
      DeviceNumbers send = p.numbers(p.all());
      DeviceNumbers recv = p.numbers(kCount);
      const bool into_send = in_place && p.r.rank == root;
      DeviceNumbers& target = into_send ? send : recv;
      const Count at = into_send ? p.blocks(root) : 0;
      if (p.r.rank == root) send.fill(0, p.all(), p.from(root), 5);
      p.r.run(scatter({send.at(0), target.at(at)}, kCount, p.type, root));
      EXPECT_TRUE(target.has(at, kCount, p.from(root), 5 + p.blocks(p.r.rank))) << name_of(p.type);
      EXPECT_TRUE(target.ends_untouched());
    }
  });
}

TEST_P(NcclMoves, AllToAll) {
  for_each_type(GetParam(), [](const Place& p) {
    DeviceNumbers send = p.numbers(p.all());
    DeviceNumbers recv = p.numbers(p.all());
    send.fill(0, p.all(), p.from(p.r.rank), 5);
    p.r.run(all_to_all({send.at(0), recv.at(0)}, kCount, p.type));
    for (int rank = 0; rank < p.r.size; ++rank) {
      EXPECT_TRUE(recv.has(p.blocks(rank), kCount, p.from(rank), 5 + p.blocks(p.r.rank)))
          << name_of(p.type);
    }
    EXPECT_TRUE(recv.ends_untouched());
  });
}

// Rank s sends so many elements to rank r; some pairs exchange nothing.
Count count_between(int s, int r) { return static_cast<Count>((s * 2 + r) % 3) * 50; }

TEST_P(NcclMoves, AllToAllV) {
  for_each_type(GetParam(), [](const Place& p) {
    PeerCounts counts;
    Count sent = 0;
    Count received = 3;  // not where the blocks would lie by themselves
    for (int peer = 0; peer < p.r.size; ++peer) {
      counts.send.push_back(count_between(p.r.rank, peer));
      counts.recv.push_back(count_between(peer, p.r.rank));
      counts.send_first.push_back(sent);
      counts.recv_first.push_back(received);
      sent += counts.send.back();
      received += counts.recv.back() + 1;
    }
    DeviceNumbers send = p.numbers(sent);
    DeviceNumbers recv = p.numbers(received);
    for (std::size_t peer = 0; peer < counts.send.size(); ++peer) {
      send.fill(counts.send_first[peer], counts.send[peer], p.from(p.r.rank), 10 * peer);
    }
    p.r.run(all_to_all_v({send.at(0), recv.at(0)}, counts, p.type));
    for (int peer = 0; peer < p.r.size; ++peer) {
      const auto i = static_cast<std::size_t>(peer);
      const auto first = static_cast<Count>(10 * p.r.rank);
      EXPECT_TRUE(recv.has(counts.recv_first[i], counts.recv[i], p.from(peer), first))
          << name_of(p.type);
      EXPECT_TRUE(recv.is_stale(counts.recv_first[i] + counts.recv[i], 1));
    }
  });
}

// A fused group: what would deadlock one after the other.
TEST_P(NcclMoves, Ring) {
  for_each_type(GetParam(), [](const Place& p) {
    const int next = (p.r.rank + 1) % p.r.size;
    const int previous = (p.r.rank + p.r.size - 1) % p.r.size;
    DeviceNumbers out = p.numbers(kCount);
    DeviceNumbers in = p.numbers(kCount);
    out.fill(0, kCount, p.from(p.r.rank), 5);
    const Call ring[] = {send(out.at(0), kCount, p.type, next),
                         recv(in.at(0), kCount, p.type, previous)};
    p.r.comm->enqueue(ring, *p.r.stream);
    EXPECT_TRUE(in.has(0, kCount, p.from(previous), 5)) << name_of(p.type);
    EXPECT_TRUE(in.ends_untouched());
  });
}

TEST_P(NcclMoves, EmptyCallsNeedNoBuffers) {
  on_ranks(GetParam(), [](NcclRank& r) {
    const Buffers none{nullptr, nullptr};
    r.run(all_reduce(none, 0, DataType::half, ReduceOp::avg));
    r.run(all_gather(none, 0, DataType::float32));
    r.run(all_to_all(none, 0, DataType::float32));
    const int next = (r.rank + 1) % r.size;
    const int previous = (r.rank + r.size - 1) % r.size;
    const Call ring[] = {send(nullptr, 0, DataType::half, next),
                         recv(nullptr, 0, DataType::half, previous)};
    r.comm->enqueue(ring, *r.stream);
    r.comm->enqueue(std::span<const Call>{}, *r.stream);
    r.stream->synchronize();
    EXPECT_TRUE(r.stream->query());
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, NcclMoves, testing::Values(1, 2, 3));

}  // namespace
}  // namespace collbench
