// SPDX-License-Identifier: Apache-2.0
// Calls in pieces beside others: in one group, in groups of several streams, and those that have no
// pieces. That the pieces themselves are right is part of the tests of every collective.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/errors.h"
#include "comm/mpi/host_test_rank.h"

namespace collbench {
namespace {

constexpr Count kCount = 1000;  // more than the modes' limit: 3 pieces

class HostPieces : public ::testing::TestWithParam<TestMode> {
 protected:
  Values expected(int of_rank_0) const {
    return Values(kCount, of_rank_0 * r_.size + r_.size * (r_.size - 1) / 2);
  }

  TestRank r_{GetParam()};
};

TEST_P(HostPieces, CollectivesAfterOneInPiecesKeepTheirOrder) {
  Values a(kCount, r_.rank);
  Values b(4, r_.rank);  // whole
  Values c(kCount, r_.rank + 50);
  Values a_sum(kCount);
  Values b_sum(4);
  Values c_sum(kCount);
  const Call calls[] = {sum(a, a_sum), sum(b, b_sum), sum(c, c_sum)};
  r_.comm->enqueue(calls, *r_.stream);
  r_.stream->synchronize();
  EXPECT_EQ(a_sum, expected(0));
  EXPECT_EQ(b_sum[3], expected(0)[0]);
  EXPECT_EQ(c_sum, expected(50));
}

// Rank 0 has the message in the group of its collective, another rank must have it before it comes
// to the collective.
TEST_P(HostPieces, AMessageInTheGroupIsNotHeldUp) {
  Values a(kCount, r_.rank);
  Values a_sum(kCount);
  Values message(kCount, 77);
  Values got(kCount);
  const auto n = static_cast<Count>(message.size());
  if (r_.rank == 0) {
    std::vector<Call> calls = {sum(a, a_sum)};
    if (r_.size > 1) calls.push_back(send(message.data(), n, DataType::int32, 1));
    r_.comm->enqueue(calls, *r_.stream);
  } else {
    if (r_.rank == 1) r_.comm->enqueue(recv(got.data(), n, DataType::int32, 0), *r_.stream);
    r_.comm->enqueue(sum(a, a_sum), *r_.stream);
  }
  r_.stream->synchronize();
  EXPECT_EQ(a_sum, expected(0));
  EXPECT_TRUE(r_.rank != 1 || got == message);
}

// As in a ring or a hypercube: each group sends what the one before it has received.
TEST_P(HostPieces, MessagesOfAStepFollowThoseOfTheStepBefore) {
  Values all(kCount * static_cast<Count>(r_.size));
  const auto block = [&](int of) { return &all[kCount * static_cast<Count>(of)]; };
  const Values mine(kCount, r_.rank + 1);
  const Call own[] = {send(mine.data(), kCount, DataType::int32, r_.rank),
                      recv(block(r_.rank), kCount, DataType::int32, r_.rank)};
  r_.comm->enqueue(own, *r_.stream);
  int here = r_.rank;  // whose block is passed on; after size - 1 steps everybody has all
  for (int step = 1; step < r_.size; ++step) {
    const int before = (here + r_.size - 1) % r_.size;
    const Call pass[] = {
        send(block(here), kCount, DataType::int32, (r_.rank + 1) % r_.size),
        recv(block(before), kCount, DataType::int32, (r_.rank + r_.size - 1) % r_.size)};
    r_.comm->enqueue(pass, *r_.stream);
    here = before;
  }
  r_.stream->synchronize();
  for (int of = 0; of < r_.size; ++of) {
    EXPECT_TRUE(std::all_of(block(of), block(of) + kCount, [&](int x) { return x == of + 1; }));
  }
}

TEST_P(HostPieces, AnAverageIsDividedOnce) {
  Values a(kCount, 12 * r_.size);
  r_.comm->enqueue(all_reduce({a.data(), a.data()}, kCount, DataType::int32, ReduceOp::avg),
                   *r_.stream);
  r_.stream->synchronize();
  EXPECT_EQ(a, Values(kCount, 12 * r_.size));
}

TEST_P(HostPieces, WhatHasNoPiecesIsToldBeforeAndRefused) {
  Values a(kCount * static_cast<Count>(r_.size), 1);
  const Call call = reduce_scatter({a.data(), a.data()}, kCount, DataType::int32, ReduceOp::sum);
  EXPECT_FALSE(r_.comm->handling_of(call).why_not.empty());
  EXPECT_THROW(
      {
        r_.comm->enqueue(call, *r_.stream);
        r_.stream->synchronize();
      },
      SystemError);
}

TEST_P(HostPieces, PiecesAreToldBefore) {
  Values a(kCount, 1);
  const Handling large = r_.comm->handling_of(sum(a, a));
  EXPECT_EQ(large.why_not, "");
  EXPECT_TRUE(large.in_pieces);
  EXPECT_EQ(large.extra_bytes, r_.size > 1 ? 1600u : 0u);
  Values b(40, 1);
  const auto part = r_.comm->split(0, r_.rank);
  const Handling small = part->handling_of(sum(b, b));
  EXPECT_FALSE(small.in_pieces);
  EXPECT_EQ(small.extra_bytes, r_.size > 1 ? 160u : 0u);
  EXPECT_TRUE(part->handling_of(sum(a, a)).in_pieces);
}

INSTANTIATE_TEST_SUITE_P(Modes, HostPieces, ::testing::ValuesIn(test_modes_in_pieces()),
                         [](const auto& mode) { return mode.param.name; });

// The second operation is ready at once on every rank, but must not come between the pieces of the
// first.
TEST(HostPiecesOfStreams, AnotherStreamsOperationWaitsForTheLastPiece) {
  TestRank r(test_modes_in_pieces().back());
  const auto second = r.device->make_stream();
  for (int round = 0; round < 10; ++round) {
    Values x(kCount, 1);
    Values y(kCount, 1000);
    Values x_sum(kCount);
    Values y_sum(kCount);
    r.comm->enqueue(sum(x, x_sum), *r.stream);
    r.comm->enqueue(sum(y, y_sum), *second);
    // Whose stream is driven first differs between ranks.
    (r.rank % 2 == 0 ? *r.stream : *second).synchronize();
    (r.rank % 2 == 0 ? *second : *r.stream).synchronize();
    ASSERT_EQ(x_sum, Values(kCount, r.size));
    ASSERT_EQ(y_sum, Values(kCount, 1000 * r.size));
  }
}

}  // namespace
}  // namespace collbench
