// SPDX-License-Identifier: Apache-2.0
// The traffic of every collective, one constexpr row each: what a rank sends and receives, and the
// factor that turns algorithm bandwidth into bus bandwidth. What sizes follow from a row is in
// traffic/sizes.h.
//
// Notation: n ranks; S is the message size, the largest number of bytes that one rank holds, as in
// nccl-tests; a block is the part of it that belongs to one rank; t is the time of one operation.
//
//   algorithm bandwidth = S / t             bus bandwidth = S / t * bus_factor(n)
//
// Source of the bus factors: nccl-tests, doc/PERFORMANCE.md. They count the bytes that must cross
// one rank's link, in its busier direction, whatever the algorithm, so that a number can be held
// against the link's rate.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "base/enum_rows.h"

namespace collbench {

enum class Collective : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  alltoall,
  alltoallv,
  broadcast,
  reduce,
  gather,
  scatter,
  sendrecv,
  hypercube,
};

namespace traffic {

/// How many blocks of `count` elements a buffer holds.
enum class Blocks : std::uint8_t { one, one_per_rank };

/// Where the buffers lie when an operation works in place.
enum class InPlace : std::uint8_t {
  none,                   // it cannot: what it receives would overwrite what it has yet to send
  same_buffer,            // send and receive are one buffer
  send_is_block_of_recv,  // a rank sends its own block of the receive buffer
  recv_is_block_of_send,  // a rank receives into its own block of the send buffer
};

/// How many ranks can run it.
enum class Ranks : std::uint8_t { any, power_of_two };

struct Traffic {
  Collective collective;
  std::string_view name;
  std::string_view summary;
  Blocks send, recv;  // of the rank that sends most, and of the rank that receives most
  InPlace in_place;
  bool reduces = false;    // has a reduction operation
  bool rooted = false;     // one rank is the root
  bool by_matrix = false;  // blocks are of any size: a traffic matrix says who sends what
  Ranks ranks = Ranks::any;
  double (*bus_factor)(int ranks);  // of S / t; for one rank no link is crossed and it is 0
  int (*rounds)(int ranks);  // latency terms: messages of which each waits for the one before
};

// ---- what rows have in common

/// All blocks but the rank's own cross its link.
constexpr double all_but_one(int n) { return 1.0 * (n - 1) / n; }
/// The whole message crosses a link.
constexpr double whole(int n) { return n > 1 ? 1.0 : 0.0; }
/// Round a ring, down a chain, or to and from one partner after the other.
constexpr int one_less(int n) { return n - 1; }
constexpr int log2_of(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }

// ---- the rows

inline constexpr Traffic all_reduce = {
    .collective = Collective::all_reduce,
    .name = "all_reduce",
    .summary = "every rank ends with the reduction of all ranks' messages",
    .send = Blocks::one,
    .recv = Blocks::one,
    .in_place = InPlace::same_buffer,
    .reduces = true,
    .bus_factor = [](int n) { return 2 * all_but_one(n); },  // reduce-scatter, then all-gather
    .rounds = [](int n) { return 2 * one_less(n); },
};

inline constexpr Traffic all_gather = {
    .collective = Collective::all_gather,
    .name = "all_gather",
    .summary = "every rank ends with every rank's block",
    .send = Blocks::one,
    .recv = Blocks::one_per_rank,
    .in_place = InPlace::send_is_block_of_recv,
    .bus_factor = all_but_one,
    .rounds = one_less,
};

inline constexpr Traffic reduce_scatter = {
    .collective = Collective::reduce_scatter,
    .name = "reduce_scatter",
    .summary = "every rank ends with its own block of the reduction of all ranks' messages",
    .send = Blocks::one_per_rank,
    .recv = Blocks::one,
    .in_place = InPlace::recv_is_block_of_send,
    .reduces = true,
    .bus_factor = all_but_one,
    .rounds = one_less,
};

inline constexpr Traffic alltoall = {
    .collective = Collective::alltoall,
    .name = "alltoall",
    .summary = "every rank sends a block of its own to every rank",
    .send = Blocks::one_per_rank,
    .recv = Blocks::one_per_rank,
    .in_place = InPlace::none,
    .bus_factor = all_but_one,
    .rounds = one_less,
};

inline constexpr Traffic alltoallv = {
    .collective = Collective::alltoallv,
    .name = "alltoallv",
    .summary = "every rank sends to every rank as much as a traffic matrix says",
    .send = Blocks::one_per_rank,  // on average: S is the most that any rank sends or receives
    .recv = Blocks::one_per_rank,
    .in_place = InPlace::none,
    .by_matrix = true,
    .bus_factor = all_but_one,  // as if every rank kept the n-th part for itself
    .rounds = one_less,
};

inline constexpr Traffic broadcast = {
    .collective = Collective::broadcast,
    .name = "broadcast",
    .summary = "every rank ends with the root's message",
    .send = Blocks::one,
    .recv = Blocks::one,
    .in_place = InPlace::same_buffer,
    .rooted = true,
    .bus_factor = whole,  // into every rank but the root
    .rounds = one_less,
};

inline constexpr Traffic reduce = {
    .collective = Collective::reduce,
    .name = "reduce",
    .summary = "the root ends with the reduction of all ranks' messages",
    .send = Blocks::one,
    .recv = Blocks::one,
    .in_place = InPlace::same_buffer,
    .reduces = true,
    .rooted = true,
    .bus_factor = whole,  // out of every rank but the root
    .rounds = one_less,
};

inline constexpr Traffic gather = {
    .collective = Collective::gather,
    .name = "gather",
    .summary = "the root ends with every rank's block",
    .send = Blocks::one,
    .recv = Blocks::one_per_rank,
    .in_place = InPlace::send_is_block_of_recv,
    .rooted = true,
    .bus_factor = all_but_one,  // into the root
    .rounds = one_less,
};

inline constexpr Traffic scatter = {
    .collective = Collective::scatter,
    .name = "scatter",
    .summary = "every rank ends with its own block of the root's message",
    .send = Blocks::one_per_rank,
    .recv = Blocks::one,
    .in_place = InPlace::recv_is_block_of_send,
    .rooted = true,
    .bus_factor = all_but_one,  // out of the root
    .rounds = one_less,
};

inline constexpr Traffic sendrecv = {
    .collective = Collective::sendrecv,
    .name = "sendrecv",
    .summary = "every rank sends its message to the next and receives the one of the rank before",
    .send = Blocks::one,
    .recv = Blocks::one,
    .in_place = InPlace::none,
    .bus_factor = whole,  // in each direction, of which one counts
    .rounds = [](int n) { return n > 1 ? 1 : 0; },
};

inline constexpr Traffic hypercube = {
    .collective = Collective::hypercube,
    .name = "hypercube",
    .summary = "an all-gather by pairs of ranks, which exchange twice as much in every step",
    .send = Blocks::one,
    .recv = Blocks::one_per_rank,
    .in_place = InPlace::send_is_block_of_recv,
    .ranks = Ranks::power_of_two,
    .bus_factor = all_but_one,  // 1 + 2 + 4 + ... blocks; nccl-tests counts only these in its
    .rounds = log2_of,          // algorithm bandwidth too, which is then the bus bandwidth
};

inline constexpr std::array kAll = {
    all_reduce, all_gather, reduce_scatter, alltoall, alltoallv, broadcast,
    reduce,     gather,     scatter,        sendrecv, hypercube,
};
static_assert(in_enum_order(kAll, &Traffic::collective));

constexpr const Traffic& row_of(Collective collective) {
  return kAll[static_cast<std::size_t>(collective)];
}

}  // namespace traffic
}  // namespace collbench
