// SPDX-License-Identifier: Apache-2.0
#include "replay/call_of.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <stdexcept>

#include "plan/builder.h"

namespace collbench::replay {
namespace {

using plan::kNoSlot;

constexpr int kRank = 2, kRanks = 4;

std::array<std::byte, 4096> slot_x, slot_y;

plan::Message message_of(Collective kind, bool in_place) {
  plan::Message message =
      plan::collective(kind, model::Axis::dp, DataType::float32, 10, 0, in_place ? 0 : 1);
  message.read_first = 5;
  message.written_first = in_place ? 5 : 6;
  message.peer = kRank;
  return message;
}

Call call(const plan::Message& message, int rank = kRank, int part = 0) {
  const bool one_slot = message.written == 0;
  return call_of(message, {rank, kRanks, part}, slot_x.data(),
                 one_slot ? slot_x.data() : slot_y.data());
}

// Bytes from the start of a slot; none of a null pointer.
using Offset = std::optional<std::ptrdiff_t>;

Offset in(const std::array<std::byte, 4096>& slot, const void* pointer) {
  if (pointer == nullptr) return std::nullopt;
  return static_cast<const std::byte*>(pointer) - slot.data();
}

struct Expected {
  Collective collective;
  CallKind kind;
  std::ptrdiff_t send, recv;      // in place, of rank 2 of 4, which is the root
  Offset other_send, other_recv;  // of a rank that is not the root, out of place
};

const std::vector<Expected>& by_hand() {
  static const std::vector<Expected> all = {
      {Collective::all_reduce, CallKind::all_reduce, 20, 20, 20, 24},
      {Collective::all_gather, CallKind::all_gather, 100, 20, 20, 24},
      {Collective::reduce_scatter, CallKind::reduce_scatter, 20, 100, 20, 24},
      {Collective::broadcast, CallKind::broadcast, 20, 20, {}, 24},
      {Collective::reduce, CallKind::reduce, 20, 20, 20, {}},
      {Collective::gather, CallKind::gather, 100, 20, 20, {}},
      {Collective::scatter, CallKind::scatter, 20, 100, {}, 24},
  };
  return all;
}

TEST(CallOf, CollectivesOutOfPlace) {
  for (const Expected& e : by_hand()) {
    const Call root = call(message_of(e.collective, false));
    EXPECT_EQ(root.kind, e.kind);
    EXPECT_EQ(root.count, 10u);
    EXPECT_EQ(root.type, DataType::float32);
    EXPECT_EQ(in(slot_x, root.send), 20);
    EXPECT_EQ(in(slot_y, root.recv), 24);
    const Call other = call(message_of(e.collective, false), 1);
    EXPECT_EQ(in(slot_x, other.send), e.other_send);
    EXPECT_EQ(in(slot_y, other.recv), e.other_recv);
    EXPECT_EQ(other.root, e.other_send && e.other_recv ? 0 : kRank);
  }
}

TEST(CallOf, CollectivesInPlace) {
  for (const Expected& e : by_hand()) {
    const Call root = call(message_of(e.collective, true));
    EXPECT_EQ(in(slot_x, root.send), e.send);
    EXPECT_EQ(in(slot_x, root.recv), e.recv);
  }
  const Call gathers = call(message_of(Collective::gather, true), 1);
  EXPECT_EQ(in(slot_x, gathers.send), 60);  // its own block of the same slot
  EXPECT_EQ(gathers.recv, nullptr);
  const Call scattered = call(message_of(Collective::scatter, true), 1);
  EXPECT_EQ(scattered.send, nullptr);
  EXPECT_EQ(in(slot_x, scattered.recv), 60);
}

TEST(CallOf, AllToAllAndReductions) {
  const Call exchange = call(message_of(Collective::alltoall, false));
  EXPECT_EQ(exchange.kind, CallKind::all_to_all);
  EXPECT_EQ(in(slot_x, exchange.send), 20);
  EXPECT_EQ(in(slot_y, exchange.recv), 24);
  plan::Message largest = message_of(Collective::all_reduce, true);
  largest.op = ReduceOp::max;
  EXPECT_EQ(call(largest).op, ReduceOp::max);
}

// A slot with a buffer for each rank of another axis: this rank's is the fourth.
TEST(CallOf, OwnPart) {
  plan::Message message = message_of(Collective::all_reduce, true);
  message.own_part_on = model::Axis::dp_shard_cp;
  EXPECT_EQ(in(slot_x, call(message, kRank, 3).send), 20 + 3 * 40);
  EXPECT_EQ(in(slot_x, call(message, kRank, 3).recv), 20 + 3 * 40);
  message = message_of(Collective::reduce_scatter, false);
  message.own_part_on = model::Axis::dp_shard_cp;
  EXPECT_EQ(in(slot_x, call(message, kRank, 3).send), 20 + 3 * 160);
  EXPECT_EQ(in(slot_y, call(message, kRank, 3).recv), 24 + 3 * 40);
}

TEST(CallOf, SendAndReceive) {
  plan::Message sends = plan::send(model::Axis::pp, 3, DataType::half, 10, 0);
  sends.read_first = 1;
  Call made = call_of(sends, {kRank, kRanks}, slot_x.data(), nullptr);
  EXPECT_EQ(made.kind, CallKind::send);
  EXPECT_EQ(in(slot_x, made.send), 2);
  EXPECT_EQ(made.recv, nullptr);
  EXPECT_EQ(made.peer, 3);
  plan::Message receives = plan::recv(model::Axis::pp, 0, DataType::half, 10, 0);
  made = call_of(receives, {kRank, kRanks}, nullptr, slot_x.data());
  EXPECT_EQ(made.kind, CallKind::recv);
  EXPECT_EQ(in(slot_x, made.recv), 0);
  EXPECT_EQ(made.peer, 0);
}

TEST(CallOf, APairNumbersItsRanksInTheOrderOfTheAxis) {
  plan::Message message = plan::send(model::Axis::pp, 3, DataType::half, 10, 0);
  message.pair = true;
  EXPECT_EQ(call_of(message, {kRank, kRanks}, slot_x.data(), nullptr).peer, 1);
  message.peer = 0;
  EXPECT_EQ(call_of(message, {kRank, kRanks}, slot_x.data(), nullptr).peer, 0);
}

TEST(CallOf, EvenlySentByCounts) {
  const plan::Message message = message_of(Collective::alltoallv, false);
  const auto counts = peer_counts(message, {kRank, kRanks});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->send, std::vector<Count>(kRanks, message.count));
  EXPECT_EQ(counts->recv, counts->send);
  EXPECT_EQ(counts->recv_first.back(), (kRanks - 1) * message.count);
  const Call made = call_of(message, {kRank, kRanks}, slot_x.data(), slot_y.data(), &*counts);
  EXPECT_EQ(made.kind, CallKind::all_to_all_v);
  EXPECT_EQ(made.counts, &*counts);
  EXPECT_EQ(peer_counts(message_of(Collective::alltoall, false), {kRank, kRanks}), std::nullopt);
}

TEST(CallOf, WhatNoCallIs) {
  for (const Collective kind : {Collective::sendrecv, Collective::hypercube}) {
    EXPECT_THROW(call(message_of(kind, false)), std::logic_error);
  }
}

TEST(CallOf, PlacesFollowFromTheLayout) {
  model::Layout layout;
  layout.dp = 4;
  layout.replicas = 2;
  layout.pp = 2;
  const plan::Plan plan = plan::make_plan("x", layout, {}, {});
  plan::Message message = message_of(Collective::all_reduce, true);
  message.axis = model::Axis::dp_replicate;
  message.own_part_on = model::Axis::dp_shard_cp;
  const Place place = place_of(message, plan, 7);  // the last of dp, on the second stage
  EXPECT_EQ(place.rank, 1);
  EXPECT_EQ(place.ranks, 2);
  EXPECT_EQ(place.part, 1);
}

}  // namespace
}  // namespace collbench::replay
