// SPDX-License-Identifier: Apache-2.0
// The collectives with a root and the all-to-alls of the host backend in every mode, with every
// root, in and out of place: what arrives, and what is left alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "comm/mpi/host_test_rank.h"

namespace collbench {
namespace {

constexpr DataType kType = DataType::float32;
constexpr Count kCounts[] = {0, 5, 1000};

// Integers, different for each rank and element.
float input(int rank, Count i) { return static_cast<float>(100000 * (rank + 1) + i); }

// Floats between guards, all `untouched` at first.
class Floats {
 public:
  static constexpr float kUntouched = -7;

  explicit Floats(Count count) : values_(count + 2, kUntouched) {}
  float* at(Count i) { return values_.data() + 1 + i; }
  float operator[](Count i) const { return values_[1 + i]; }
  Count count() const { return values_.size() - 2; }

  // So many elements of the rank's input, from its element `first`.
  void set(Count at, Count count, int rank, Count first) {
    for (Count i = 0; i < count; ++i) *this->at(at + i) = input(rank, first + i);
  }
  bool holds(Count at, Count count, int rank, Count first) const {
    for (Count i = 0; i < count; ++i) {
      if ((*this)[at + i] != input(rank, first + i)) return false;
    }
    return guards_stand();
  }
  bool untouched(Count at, Count count) const {
    for (Count i = 0; i < count; ++i) {
      if ((*this)[at + i] != kUntouched) return false;
    }
    return guards_stand();
  }

 private:
  bool guards_stand() const {
    return values_.front() == kUntouched && values_.back() == kUntouched;
  }
  std::vector<float> values_;
};

struct Case {
  int root;
  Count count;
  bool in_place;
};

class HostRooted : public ::testing::TestWithParam<TestMode> {
 protected:
  void run(const Call& call) {
    r_.comm->enqueue(call, *r_.stream);
    r_.stream->synchronize();
  }
  template <class Test>
  void for_each_case(Test test) {
    for (int root = 0; root < r_.size; ++root) {
      for (const Count count : kCounts) {
        for (const bool in_place : {false, true}) {
          SCOPED_TRACE(fmt::format("root {}, {} elements, {} place", root, count,
                                   in_place ? "in" : "out of"));
          test(Case{root, count, in_place});
        }
      }
    }
  }
  Count own(Count count) const { return static_cast<Count>(r_.rank) * count; }
  Count total(Count count) const { return static_cast<Count>(r_.size) * count; }

  TestRank r_{GetParam()};
};

TEST_P(HostRooted, BroadcastGivesTheRootsDataToAll) {
  for_each_case([&](const Case& c) {
    Floats send(c.count);
    Floats recv(c.count);
    (c.in_place ? recv : send).set(0, c.count, r_.rank, 0);
    run(broadcast({c.in_place ? recv.at(0) : send.at(0), recv.at(0)}, c.count, kType, c.root));
    EXPECT_TRUE(recv.holds(0, c.count, c.root, 0));
    if (!c.in_place) {
      EXPECT_TRUE(send.holds(0, c.count, r_.rank, 0));
    }
  });
}

TEST_P(HostRooted, ReduceGivesTheSumToTheRootAlone) {
  for_each_case([&](const Case& c) {
    Floats send(c.count);
    Floats recv(c.count);
    (c.in_place ? recv : send).set(0, c.count, r_.rank, 0);
    const float* const from = c.in_place ? recv.at(0) : send.at(0);
    run(reduce({from, recv.at(0)}, c.count, kType, ReduceOp::sum, c.root));
    if (r_.rank != c.root) {
      const bool left_alone =
          c.in_place ? recv.holds(0, c.count, r_.rank, 0) : recv.untouched(0, c.count);
      EXPECT_TRUE(left_alone);
      return;
    }
    for (Count i = 0; i < c.count; ++i) {
      float sum = 0;
      for (int rank = 0; rank < r_.size; ++rank) sum += input(rank, i);
      ASSERT_EQ(recv[i], sum) << i;
    }
  });
}

TEST_P(HostRooted, ReduceDividesAnAverageAtTheRootAlone) {
  for_each_case([&](const Case& c) {
    Floats data(c.count);
    data.set(0, c.count, 1, 0);  // the same on every rank
    const Floats before = data;
    run(reduce({data.at(0), data.at(0)}, c.count, kType, ReduceOp::avg, c.root));
    for (Count i = 0; i < c.count; ++i) ASSERT_EQ(data[i], before[i]) << i;
  });
}

TEST_P(HostRooted, GatherGivesAllBlocksToTheRootAlone) {
  for_each_case([&](const Case& c) {
    Floats send(c.count);
    Floats recv(total(c.count));
    if (c.in_place) {
      recv.set(own(c.count), c.count, r_.rank, 0);
    } else {
      send.set(0, c.count, r_.rank, 0);
    }
    run(gather({c.in_place ? recv.at(own(c.count)) : send.at(0), recv.at(0)}, c.count, kType,
               c.root));
    for (int rank = 0; rank < r_.size; ++rank) {
      const Count at = static_cast<Count>(rank) * c.count;
      const bool has_data = r_.rank == c.root || (c.in_place && rank == r_.rank);
      EXPECT_TRUE(has_data ? recv.holds(at, c.count, rank, 0) : recv.untouched(at, c.count));
    }
  });
}

TEST_P(HostRooted, ScatterGivesEachRankItsBlock) {
  for_each_case([&](const Case& c) {
    Floats send(total(c.count));
    Floats recv(c.count);
    send.set(0, total(c.count), r_.rank, 0);
    Floats& result = c.in_place ? send : recv;
    const Count at = c.in_place ? own(c.count) : 0;
    run(scatter({send.at(0), result.at(at)}, c.count, kType, c.root));
    EXPECT_TRUE(result.holds(at, c.count, c.root, own(c.count)));
  });
}

TEST_P(HostRooted, AllToAllExchangesBlocks) {
  for (const Count count : kCounts) {
    Floats send(total(count));
    Floats recv(total(count));
    send.set(0, total(count), r_.rank, 0);
    run(all_to_all({send.at(0), recv.at(0)}, count, kType));
    for (int rank = 0; rank < r_.size; ++rank) {
      EXPECT_TRUE(recv.holds(static_cast<Count>(rank) * count, count, rank, own(count)));
    }
  }
}

// Rank i sends i + 2 j elements to rank j, but nothing to itself, from places and to places with a
// gap of one element before each block.
class Uneven {
 public:
  Uneven(int rank, int ranks) : rank_(rank), ranks_(ranks) {
    for (int peer = 0; peer < ranks; ++peer) {
      counts_.send.push_back(between(rank, peer));
      counts_.recv.push_back(between(peer, rank));
    }
    counts_.send_first = places(counts_.send);
    counts_.recv_first = places(counts_.recv);
  }

  const PeerCounts& counts() const { return counts_; }
  Count send_elements() const { return counts_.send_first.back() + counts_.send.back(); }
  Count recv_elements() const { return counts_.recv_first.back() + counts_.recv.back(); }

  bool is_right(const Floats& recv) const {
    for (int peer = 0; peer < ranks_; ++peer) {
      const auto p = static_cast<std::size_t>(peer);
      const Count first = Uneven::first(peer, rank_, ranks_);
      if (!recv.holds(counts_.recv_first[p], counts_.recv[p], peer, first)) return false;
      if (!recv.untouched(counts_.recv_first[p] - 1, 1)) return false;
    }
    return true;
  }

 private:
  static Count between(int from, int to) {
    return from == to ? 0 : static_cast<Count>(from + 2 * to);
  }
  static std::vector<Count> places(const std::vector<Count>& counts) {
    std::vector<Count> places;
    Count next = 0;
    for (const Count count : counts) {
      places.push_back(next + 1);
      next += 1 + count;
    }
    return places;
  }
  static Count first(int from, int to, int ranks) {
    return Uneven(from, ranks).counts_.send_first[static_cast<std::size_t>(to)];
  }

  int rank_;
  int ranks_;
  PeerCounts counts_;
};

TEST_P(HostRooted, AllToAllVTakesEachPeersCountAndPlace) {
  const Uneven exchange(r_.rank, r_.size);
  Floats send(exchange.send_elements());
  Floats recv(exchange.recv_elements());
  send.set(0, send.count(), r_.rank, 0);
  run(all_to_all_v({send.at(0), recv.at(0)}, exchange.counts(), kType));
  EXPECT_TRUE(exchange.is_right(recv));
}

TEST_P(HostRooted, SeveralAllToAllVsAreUnderWayAtOnce) {
  const Uneven exchange(r_.rank, r_.size);
  Floats send(exchange.send_elements());
  send.set(0, send.count(), r_.rank, 0);
  std::vector<Floats> results(3, Floats(exchange.recv_elements()));
  std::vector<Call> calls;
  for (Floats& recv : results) {
    calls.push_back(all_to_all_v({send.at(0), recv.at(0)}, exchange.counts(), kType));
  }
  r_.comm->enqueue(std::span(calls).first(2), *r_.stream);
  r_.comm->enqueue(calls.back(), *r_.stream);
  r_.stream->synchronize();
  for (const Floats& recv : results) EXPECT_TRUE(exchange.is_right(recv));
}

TEST_P(HostRooted, AllToAllVWantsACountForEachRank) {
  PeerCounts counts = Uneven(r_.rank, r_.size).counts();
  counts.recv.push_back(1);
  Floats data(1000);
  EXPECT_THROW(run(all_to_all_v({data.at(0), data.at(500)}, counts, kType)), SystemError);
}

TEST_P(HostRooted, ARootOutsideTheCommunicatorIsRefused) {
  Floats data(static_cast<Count>(r_.size));
  const Buffers b{data.at(0), data.at(0)};
  for (const int root : {-1, -2, r_.size}) {
    for (const Call& call : {broadcast(b, 1, kType, root), reduce(b, 1, kType, ReduceOp::sum, root),
                             gather(b, 1, kType, root), scatter(b, 1, kType, root)}) {
      EXPECT_THROW(run(call), SystemError);
    }
  }
}

TEST_P(HostRooted, EmptyCallsNeedNoBuffers) {
  const Buffers none{nullptr, nullptr};
  const std::vector<Count> zeros(static_cast<std::size_t>(r_.size), 0);
  const PeerCounts nothing = {zeros, zeros, zeros, zeros};
  const int root = r_.size - 1;
  run(broadcast(none, 0, kType, root));
  run(reduce(none, 0, kType, ReduceOp::avg, root));
  run(gather(none, 0, kType, root));
  run(scatter(none, 0, kType, root));
  run(all_to_all(none, 0, kType));
  run(all_to_all_v(none, nothing, kType));
  EXPECT_TRUE(r_.stream->query());
}

INSTANTIATE_TEST_SUITE_P(Modes, HostRooted, ::testing::ValuesIn(test_modes()),
                         [](const auto& mode) { return mode.param.name; });
INSTANTIATE_TEST_SUITE_P(InPieces, HostRooted, ::testing::ValuesIn(test_modes_in_pieces()),
                         [](const auto& mode) { return mode.param.name; });

}  // namespace
}  // namespace collbench
