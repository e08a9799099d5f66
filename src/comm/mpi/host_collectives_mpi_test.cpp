// SPDX-License-Identifier: Apache-2.0
// Every collective of the host backend in every mode, in and out of place, with a few types and
// operations; all of these are in measure/reductions_mpi_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "comm/mpi/host_test_rank.h"

namespace collbench {
namespace {

// Integers from -4 to 6: sums over a few ranks are exact in every type, and of either sign.
double input(int rank, Count i) {
  return static_cast<double>((static_cast<Count>(rank) * 3 + i * 5) % 11) - 4;
}

// What the operation makes of element i of all ranks; the rounding of an average is Numbers::set's.
double reduced(ReduceOp op, int ranks, Count i) {
  double sum = 0;
  double largest = -100;
  for (int rank = 0; rank < ranks; ++rank) {
    sum += input(rank, i) * (op == ReduceOp::mulsum ? mulsum_scalar(rank) : 1);
    largest = std::max(largest, input(rank, i));
  }
  if (op == ReduceOp::max) return largest;
  return op == ReduceOp::avg ? sum / ranks : sum;
}

constexpr Count kCounts[] = {0, 5, 1000};

class HostCollectives : public ::testing::TestWithParam<TestMode> {
 protected:
  // A block of the rank's input, beginning with its element `first`.
  void fill(Numbers& numbers, Count at, Count count, Count first) const {
    for (Count i = 0; i < count; ++i) numbers.set(at + i, input(r_.rank, first + i));
  }

  void run(const Call& call) {
    r_.comm->enqueue(call, *r_.stream);
    r_.stream->synchronize();
  }

  Count own(Count count) const { return static_cast<Count>(r_.rank) * count; }
  Count total(Count count) const { return static_cast<Count>(r_.size) * count; }

  TestRank r_{GetParam()};
};

struct TypeAndOp {
  DataType type;
  ReduceOp op;
};

constexpr TypeAndOp kTypesAndOps[] = {
    {DataType::float32, ReduceOp::sum},  {DataType::int32, ReduceOp::sum},
    {DataType::bfloat16, ReduceOp::sum}, {DataType::half, ReduceOp::avg},
    {DataType::int32, ReduceOp::avg},    {DataType::f8e5m2, ReduceOp::max},
    {DataType::float64, ReduceOp::max},  {DataType::int64, ReduceOp::mulsum},
};

std::string describe(const TypeAndOp& t, Count count, bool in_place) {
  return fmt::format("{} {}, {} elements, {} place", name_of(t.type), name_of(t.op), count,
                     in_place ? "in" : "out of");
}

TEST_P(HostCollectives, AllReduce) {
  for (const TypeAndOp& t : kTypesAndOps) {
    for (const Count count : kCounts) {
      for (const bool in_place : {false, true}) {
        Numbers send(t.type, count);
        Numbers recv(t.type, count);
        Numbers expected(t.type, count);
        fill(send, 0, count, 0);
        for (Count i = 0; i < count; ++i) expected.set(i, reduced(t.op, r_.size, i));
        Numbers& result = in_place ? send : recv;
        run(all_reduce({send.at(0), result.at(0)}, count, t.type, t.op));
        EXPECT_TRUE(result.equals(0, expected, 0, count)) << describe(t, count, in_place);
        EXPECT_TRUE(result.guards_stand()) << describe(t, count, in_place);
      }
    }
  }
}

TEST_P(HostCollectives, ReduceScatter) {
  for (const TypeAndOp& t : kTypesAndOps) {
    for (const Count count : kCounts) {
      for (const bool in_place : {false, true}) {
        Numbers send(t.type, total(count));
        Numbers recv(t.type, count);
        Numbers expected(t.type, count);
        fill(send, 0, total(count), 0);
        for (Count i = 0; i < count; ++i) {
          expected.set(i, reduced(t.op, r_.size, own(count) + i));
        }
        Numbers& result = in_place ? send : recv;
        const Count at = in_place ? own(count) : 0;
        const Call call = reduce_scatter({send.at(0), result.at(at)}, count, t.type, t.op);
        if (!r_.comm->handling_of(call).why_not.empty()) continue;  // it has no pieces
        run(call);
        EXPECT_TRUE(result.equals(at, expected, 0, count)) << describe(t, count, in_place);
        EXPECT_TRUE(result.guards_stand()) << describe(t, count, in_place);
      }
    }
  }
}

TEST_P(HostCollectives, AllGather) {
  for (const auto& type : kDataTypes) {
    for (const Count count : kCounts) {
      for (const bool in_place : {false, true}) {
        Numbers send(type.type, count);
        Numbers recv(type.type, total(count));
        Numbers expected(type.type, total(count));
        fill(send, 0, count, 100);
        fill(recv, own(count), count, 100);
        for (Count i = 0; i < total(count); ++i) {
          expected.set(i, input(static_cast<int>(i / count), 100 + i % count));
        }
        run(all_gather({in_place ? recv.at(own(count)) : send.at(0), recv.at(0)}, count,
                       type.type));
        const std::string what = describe({type.type, ReduceOp::sum}, count, in_place);
        EXPECT_TRUE(recv.equals(0, expected, 0, total(count))) << what;
        EXPECT_TRUE(recv.guards_stand()) << what;
      }
    }
  }
}

TEST_P(HostCollectives, EmptyCallsNeedNoBuffers) {
  const Buffers none{nullptr, nullptr};
  run(all_reduce(none, 0, DataType::half, ReduceOp::avg));
  run(all_gather(none, 0, DataType::float32));
  run(reduce_scatter(none, 0, DataType::int32, ReduceOp::max));
  const int next = (r_.rank + 1) % r_.size;
  const int previous = (r_.rank + r_.size - 1) % r_.size;
  const Call calls[] = {send(nullptr, 0, DataType::half, next),
                        recv(nullptr, 0, DataType::half, previous)};
  r_.comm->enqueue(calls, *r_.stream);
  r_.comm->enqueue(std::span<const Call>{}, *r_.stream);
  r_.stream->synchronize();
  EXPECT_TRUE(r_.stream->query());
}

// Larger than anything that MPI sends at once without the receiver's consent.
TEST_P(HostCollectives, RingOfLargeMessages) {
  constexpr Count kCount = 300000;
  const int next = (r_.rank + 1) % r_.size;
  const int previous = (r_.rank + r_.size - 1) % r_.size;
  Numbers mine(DataType::int32, kCount);
  Numbers got(DataType::int32, kCount);
  Numbers expected(DataType::int32, kCount);
  for (Count i = 0; i < kCount; ++i) {
    mine.set(i, input(r_.rank, i));
    expected.set(i, input(previous, i));
  }
  const Call calls[] = {send(mine.at(0), kCount, DataType::int32, next),
                        recv(got.at(0), kCount, DataType::int32, previous)};
  r_.comm->enqueue(calls, *r_.stream);
  r_.stream->synchronize();
  EXPECT_TRUE(got.equals(0, expected, 0, kCount));
  EXPECT_TRUE(got.guards_stand());
}

TEST_P(HostCollectives, AMessageAloneFromEvenToOdd) {
  const int partner = r_.rank % 2 == 0 ? r_.rank + 1 : r_.rank - 1;
  if (partner >= r_.size) return;  // the last of an odd number of ranks
  const int sender = std::min(r_.rank, partner);
  Numbers number(DataType::float32, 1);
  Numbers expected(DataType::float32, 1);
  number.set(0, r_.rank == sender ? input(sender, 7) : -77);
  expected.set(0, input(sender, 7));
  run(r_.rank == sender ? send(number.at(0), 1, DataType::float32, partner)
                        : recv(number.at(0), 1, DataType::float32, partner));
  EXPECT_TRUE(number.equals(0, expected, 0, 1));
}

TEST_P(HostCollectives, MessagesOfAPairKeepTheirOrder) {
  Numbers got(DataType::int32, 3);
  Numbers mine(DataType::int32, 3);
  Numbers expected(DataType::int32, 3);
  const int next = (r_.rank + 1) % r_.size;
  const int previous = (r_.rank + r_.size - 1) % r_.size;
  std::vector<Call> calls;
  for (Count i = 0; i < 3; ++i) {
    mine.set(i, 10 * r_.rank + static_cast<double>(i));
    expected.set(i, 10 * previous + static_cast<double>(i));
    calls.push_back(send(mine.at(i), 1, DataType::int32, next));
  }
  for (Count i = 0; i < 3; ++i) calls.push_back(recv(got.at(i), 1, DataType::int32, previous));
  r_.comm->enqueue(calls, *r_.stream);
  r_.stream->synchronize();
  EXPECT_TRUE(got.equals(0, expected, 0, 3));
}

TEST_P(HostCollectives, SeveralCollectivesInOneGroup) {
  constexpr Count kCount = 33;
  Numbers send(DataType::float32, total(kCount));
  Numbers sum(DataType::float32, kCount);
  Numbers gathered(DataType::float32, total(kCount));
  Numbers scattered(DataType::float32, kCount);
  Numbers scaled(DataType::float32, kCount);
  fill(send, 0, total(kCount), 0);
  const Call calls[] = {
      all_reduce({send.at(0), sum.at(0)}, kCount, DataType::float32, ReduceOp::avg),
      all_gather({send.at(0), gathered.at(0)}, kCount, DataType::float32),
      reduce_scatter({send.at(0), scattered.at(0)}, kCount, DataType::float32, ReduceOp::max),
      reduce_scatter({send.at(0), scaled.at(0)}, kCount, DataType::float32, ReduceOp::mulsum)};
  r_.comm->enqueue(calls, *r_.stream);
  r_.stream->synchronize();
  Numbers expected(DataType::float32, total(kCount));
  for (Count i = 0; i < kCount; ++i) expected.set(i, reduced(ReduceOp::avg, r_.size, i));
  EXPECT_TRUE(sum.equals(0, expected, 0, kCount));
  for (Count i = 0; i < kCount; ++i) {
    expected.set(i, reduced(ReduceOp::max, r_.size, own(kCount) + i));
  }
  EXPECT_TRUE(scattered.equals(0, expected, 0, kCount));
  for (Count i = 0; i < kCount; ++i) {
    expected.set(i, reduced(ReduceOp::mulsum, r_.size, own(kCount) + i));
  }
  EXPECT_TRUE(scaled.equals(0, expected, 0, kCount));
  for (Count i = 0; i < total(kCount); ++i) {
    expected.set(i, input(static_cast<int>(i / kCount), i % kCount));
  }
  EXPECT_TRUE(gathered.equals(0, expected, 0, total(kCount)));
}

// Rank 0 has messages in the group of its collective, the others have the collective alone.
TEST_P(HostCollectives, RanksMayGroupMessagesDifferently) {
  Numbers number(DataType::int32, 1);
  Numbers sum(DataType::int32, 1);
  Numbers got(DataType::int32, 1);
  number.set(0, r_.rank + 1);
  const Call reduce = all_reduce({number.at(0), sum.at(0)}, 1, DataType::int32, ReduceOp::sum);
  if (r_.rank == 0) {
    std::vector<Call> calls = {reduce};
    for (int peer = 1; peer < r_.size; ++peer) {
      calls.push_back(send(number.at(0), 1, DataType::int32, peer));
    }
    r_.comm->enqueue(calls, *r_.stream);
  } else {
    r_.comm->enqueue(reduce, *r_.stream);
    r_.comm->enqueue(recv(got.at(0), 1, DataType::int32, 0), *r_.stream);
  }
  r_.stream->synchronize();
  Numbers expected(DataType::int32, 2);
  expected.set(0, r_.size * (r_.size + 1) / 2);
  expected.set(1, 1);
  EXPECT_TRUE(sum.equals(0, expected, 0, 1));
  EXPECT_TRUE(r_.rank == 0 || got.equals(0, expected, 1, 1));
}

// Many back to back: requests are given back, and queues drain while they fill. Beside other load
// an operation can take milliseconds, hence not more.
TEST_P(HostCollectives, ManyInARow) {
  constexpr int kOperations = 60;
  Numbers number(DataType::int32, 1);
  number.set(0, 1);
  for (int i = 0; i < kOperations; ++i) {
    r_.comm->enqueue(all_reduce({number.at(0), number.at(0)}, 1, DataType::int32, ReduceOp::max),
                     *r_.stream);
  }
  r_.stream->synchronize();
  Numbers expected(DataType::int32, 1);
  expected.set(0, 1);
  EXPECT_TRUE(number.equals(0, expected, 0, 1));
}

INSTANTIATE_TEST_SUITE_P(Modes, HostCollectives, ::testing::ValuesIn(test_modes()),
                         [](const auto& mode) { return mode.param.name; });
INSTANTIATE_TEST_SUITE_P(InPieces, HostCollectives, ::testing::ValuesIn(test_modes_in_pieces()),
                         [](const auto& mode) { return mode.param.name; });

}  // namespace
}  // namespace collbench
