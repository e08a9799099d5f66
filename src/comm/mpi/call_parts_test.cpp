// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/call_parts.h"

#include <gtest/gtest.h>

#include <limits>

namespace collbench {
namespace {

constexpr Count kInt = std::numeric_limits<int>::max();
constexpr Count kAny = std::numeric_limits<Count>::max();

constexpr CallLimits kMpi3 = {
    .count = kInt, .sum = kInt, .nonblocking_sum = kInt, .piece_bytes = 1 << 28};
// MPICH 4.0: arguments of 64 bits, sums in int.
constexpr CallLimits kMpich40 = {
    .count = kAny >> 1, .sum = kInt, .nonblocking_sum = kInt, .piece_bytes = 1 << 28};
constexpr CallLimits kGood = {
    .count = kAny >> 1, .sum = kAny, .nonblocking_sum = kAny, .piece_bytes = 1 << 28};

// Only addresses: no element is touched.
std::byte g_send, g_recv;
const Buffers kBuffers = {&g_send, &g_recv};

const std::byte* address(const void* data) { return static_cast<const std::byte*>(data); }

CallForm blocking(const Call& call, const CallLimits& limits) {
  return form_of(call, 4, false, limits);
}
CallForm nonblocking(const Call& call, const CallLimits& limits) {
  return form_of(call, 4, true, limits);
}

TEST(CallForm, EverythingIsWholeUpToTheSurelyWholeCount) {
  for (const CallLimits& limits : {kMpi3, kMpich40, kGood}) {
    const Count count = always_whole(limits, 4);
    EXPECT_GE(count, kInt / 32);
    for (const DataType type : {DataType::uint8, DataType::float64}) {
      for (const Call& call :
           {all_reduce(kBuffers, count, type, ReduceOp::sum), all_gather(kBuffers, count, type),
            reduce_scatter(kBuffers, count, type, ReduceOp::sum), all_to_all(kBuffers, count, type),
            broadcast(kBuffers, count, type, 0), reduce(kBuffers, count, type, ReduceOp::sum, 0),
            gather(kBuffers, count, type, 0), scatter(kBuffers, count, type, 0),
            send(&g_send, count, type, 1), recv(&g_recv, count, type, 1)}) {
        EXPECT_EQ(blocking(call, limits), CallForm::whole);
        EXPECT_EQ(nonblocking(call, limits), CallForm::whole);
      }
    }
  }
}

TEST(CallForm, ReductionsCountElements) {
  const auto sum = [](Count count, DataType type) {
    return all_reduce(kBuffers, count, type, ReduceOp::sum);
  };
  EXPECT_EQ(blocking(sum(kInt, DataType::float64), kMpich40), CallForm::whole);
  EXPECT_EQ(blocking(sum(kInt + 1, DataType::uint8), kMpich40), CallForm::pieces);
  EXPECT_EQ(blocking(sum(kInt + 1, DataType::uint8), kGood), CallForm::whole);
  const Call toward_root = reduce(kBuffers, kInt + 1, DataType::float32, ReduceOp::max, 0);
  EXPECT_EQ(nonblocking(toward_root, kMpich40), CallForm::pieces);
}

TEST(CallForm, ReduceScatterHasNoPieces) {
  const auto scatter_sum = [](Count count) {
    return reduce_scatter(kBuffers, count, DataType::float32, ReduceOp::sum);
  };
  EXPECT_EQ(blocking(scatter_sum(kInt / 4), kMpich40), CallForm::whole);
  EXPECT_EQ(blocking(scatter_sum(kInt / 4 + 1), kMpich40), CallForm::impossible);
  EXPECT_EQ(why_impossible(scatter_sum(kInt), kMpich40),
            "this MPI library counts at most 2147483647 elements in a reduce-scatter; take a "
            "larger type (-d)");
}

TEST(CallForm, BlocksTravelAsMessagesWhereTheLibraryCountsTheirBytes) {
  constexpr Count kCount = 1ULL << 30;  // bytes, times 4 ranks
  const Call gathered = all_gather(kBuffers, kCount, DataType::uint8);
  EXPECT_EQ(blocking(gathered, kMpich40), CallForm::whole);
  EXPECT_EQ(nonblocking(gathered, kMpich40), CallForm::messages);
  const Call exchanged = all_to_all(kBuffers, kCount, DataType::float32);
  EXPECT_EQ(blocking(exchanged, kMpich40), CallForm::whole);
  EXPECT_EQ(nonblocking(exchanged, kMpich40), CallForm::messages);
  for (const Call& call : {gather(kBuffers, kCount, DataType::uint8, 0),
                           scatter(kBuffers, kCount, DataType::uint8, 0)}) {
    EXPECT_EQ(blocking(call, kMpich40), CallForm::messages);
    EXPECT_EQ(blocking(call, kGood), CallForm::whole);
  }
}

TEST(CallForm, ArgumentsOfInt) {
  constexpr Count kCount = kInt + 1;
  EXPECT_EQ(blocking(all_gather(kBuffers, kCount, DataType::int8), kMpi3), CallForm::messages);
  EXPECT_EQ(blocking(broadcast(kBuffers, kCount, DataType::int8, 0), kMpi3), CallForm::pieces);
  EXPECT_EQ(blocking(send(&g_send, kCount, DataType::int8, 1), kMpi3), CallForm::pieces);
  EXPECT_EQ(blocking(send(&g_send, kCount, DataType::int8, 1), kMpich40), CallForm::whole);
}

TEST(CallForm, PlacesOfAnAllToAllVCountAsWell) {
  PeerCounts counts;
  counts.send = counts.send_first = counts.recv = {1, 2, 3, 4};
  counts.recv_first = {0, 1, 2, kInt + 1};
  const Call call = all_to_all_v(kBuffers, counts, DataType::int8);
  EXPECT_EQ(blocking(call, kMpi3), CallForm::impossible);
  EXPECT_EQ(blocking(call, kMpich40), CallForm::whole);
  EXPECT_NE(why_impossible(call, kMpi3).find("2147483647 elements in one call"), std::string::npos);
}

TEST(CallParts, PiecesFollowEachOther) {
  constexpr CallLimits kLimits = {
      .count = 100, .sum = 100, .nonblocking_sum = 100, .piece_bytes = 40};
  const Call whole = all_reduce(kBuffers, 25, DataType::float32, ReduceOp::max);
  const std::vector<Call> pieces = pieces_of(whole, kLimits);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].count, 10u);
  EXPECT_EQ(pieces[2].count, 5u);
  EXPECT_EQ(address(pieces[2].send) - &g_send, 80);
  EXPECT_EQ(address(pieces[2].recv) - &g_recv, 80);
  EXPECT_EQ(pieces[1].op, ReduceOp::max);
}

TEST(CallParts, PiecesAreNoLargerThanTheLibraryCounts) {
  constexpr CallLimits kLimits = {.count = 7, .sum = 7, .nonblocking_sum = 7, .piece_bytes = 1000};
  const std::vector<Call> pieces = pieces_of(recv(&g_recv, 15, DataType::int8, 3), kLimits);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].count, 7u);
  EXPECT_EQ(pieces[2].count, 1u);
  EXPECT_EQ(pieces[2].peer, 3);
  EXPECT_EQ(pieces[2].send, nullptr);
}

// What each rank sends to each, from which byte of its buffer, is received there.
void expect_messages_match(const Call& call, int ranks, std::size_t each_rank_receives) {
  std::vector<std::vector<int>> waiting(static_cast<std::size_t>(ranks * ranks));
  std::size_t received = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    for (const Call& message : messages_of(call, rank, ranks)) {
      EXPECT_NE(message.peer, rank);
      EXPECT_EQ(message.count, call.count);
      const bool is_send = message.kind == CallKind::send;
      const int pair = is_send ? rank * ranks + message.peer : message.peer * ranks + rank;
      waiting[static_cast<std::size_t>(pair)].push_back(is_send ? 1 : -1);
      received += !is_send;
    }
  }
  EXPECT_EQ(received, each_rank_receives);
  for (const auto& pair : waiting) {
    int balance = 0;
    for (const int message : pair) balance += message;
    EXPECT_EQ(balance, 0);
  }
}

TEST(CallParts, EveryMessageIsReceived) {
  expect_messages_match(all_gather(kBuffers, 3, DataType::int32), 4, 12);
  expect_messages_match(all_to_all(kBuffers, 3, DataType::int32), 4, 12);
  expect_messages_match(gather(kBuffers, 3, DataType::int32, 2), 4, 3);
  expect_messages_match(scatter(kBuffers, 3, DataType::int32, 2), 4, 3);
}

TEST(CallParts, MessagesLieWhereTheBlocksOfTheirRanksAre) {
  const auto offset_of = [](const Call& call, CallKind kind, int peer) -> std::ptrdiff_t {
    for (const Call& message : messages_of(call, 1, 4)) {
      if (message.kind != kind || message.peer != peer) continue;
      return kind == CallKind::send ? address(message.send) - &g_send
                                    : address(message.recv) - &g_recv;
    }
    return -1;
  };
  const Call gathered = all_gather(kBuffers, 3, DataType::int32);
  EXPECT_EQ(offset_of(gathered, CallKind::recv, 3), 36);
  EXPECT_EQ(offset_of(gathered, CallKind::send, 3), 0);
  const Call exchanged = all_to_all(kBuffers, 3, DataType::int32);
  EXPECT_EQ(offset_of(exchanged, CallKind::recv, 2), 24);
  EXPECT_EQ(offset_of(exchanged, CallKind::send, 2), 24);
  const Call to_root = gather(kBuffers, 3, DataType::int32, 1);
  EXPECT_EQ(offset_of(to_root, CallKind::recv, 2), 24);
  EXPECT_EQ(offset_of(to_root, CallKind::send, 2), -1);
  const Call from_root = scatter(kBuffers, 3, DataType::int32, 1);
  EXPECT_EQ(offset_of(from_root, CallKind::send, 2), 24);
  EXPECT_EQ(offset_of(scatter(kBuffers, 3, DataType::int32, 2), CallKind::recv, 2), 0);
}

TEST(CallParts, TheOwnBlockIsCopiedWhereItMoves) {
  const auto offsets = [](const Call& call) {
    const Buffers own = own_block_of(call, 1);
    return std::pair{address(own.send) - &g_send, address(own.recv) - &g_recv};
  };
  EXPECT_EQ(offsets(all_gather(kBuffers, 3, DataType::int32)), (std::pair{0L, 12L}));
  EXPECT_EQ(offsets(all_to_all(kBuffers, 3, DataType::int32)), (std::pair{12L, 12L}));
  EXPECT_EQ(offsets(gather(kBuffers, 3, DataType::int32, 1)), (std::pair{0L, 12L}));
  EXPECT_EQ(offsets(scatter(kBuffers, 3, DataType::int32, 1)), (std::pair{12L, 0L}));
  const Buffers none = own_block_of(gather(kBuffers, 3, DataType::int32, 0), 1);
  EXPECT_EQ(none.send, nullptr);
  EXPECT_EQ(none.recv, nullptr);
}

TEST(CallParts, PiecesTakeLittleMemory) {
  const Call sum = all_reduce(kBuffers, 5ULL << 30, DataType::uint8, ReduceOp::sum);
  EXPECT_EQ(extra_bytes(sum, 2, CallForm::whole, kGood), 5ULL << 30);
  EXPECT_EQ(extra_bytes(sum, 2, CallForm::pieces, kMpich40), 1ULL << 28);
  EXPECT_EQ(extra_bytes(sum, 1, CallForm::whole, kGood), 0u);
  const Call gathered = gather(kBuffers, 1 << 20, DataType::uint8, 0);
  EXPECT_EQ(extra_bytes(gathered, 4, CallForm::whole, kGood), 2u << 20);
  EXPECT_EQ(extra_bytes(gathered, 4, CallForm::messages, kGood), 0u);
}

}  // namespace
}  // namespace collbench
