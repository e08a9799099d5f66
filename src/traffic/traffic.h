// SPDX-License-Identifier: Apache-2.0
// The traffic of every collective, one constexpr row each: what a rank sends and receives, and the
// factor that turns algorithm bandwidth into bus bandwidth.
//
// Notation: n ranks; S is the message size, the largest number of bytes that one rank holds, as in
// nccl-tests; a block is the part of it that belongs to one rank; t is the time of one operation.
//
//   algorithm bandwidth = S / t             bus bandwidth = S / t * bus_factor(n)
//
// Source of the bus factors: nccl-tests, doc/PERFORMANCE.md. They count the bytes that must cross
// one rank's link whatever the algorithm, so that a number can be held against the link's rate.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/data_type.h"

namespace collbench {

enum class Collective : std::uint8_t { all_reduce, all_gather, reduce_scatter };

namespace traffic {

/// How many blocks of `count` elements a buffer holds.
enum class Blocks : std::uint8_t { one, one_per_rank };

/// Where the buffers lie when an operation works in place.
enum class InPlace : std::uint8_t {
  same_buffer,            // send and receive are one buffer
  send_is_block_of_recv,  // a rank sends its own block of the receive buffer
  recv_is_block_of_send,  // a rank receives into its own block of the send buffer
};

struct Traffic {
  Collective collective;
  std::string_view name;
  std::string_view summary;
  Blocks send, recv;
  InPlace in_place;
  bool reduces;                     // has a reduction operation
  double (*bus_factor)(int ranks);  // of S / t; for one rank no link is crossed and it is 0
  int (*rounds)(int ranks);         // latency terms of the ring algorithm
};

inline constexpr Traffic all_reduce = {
    .collective = Collective::all_reduce,
    .name = "all_reduce",
    .summary = "every rank ends with the reduction of all ranks' messages",
    .send = Blocks::one,
    .recv = Blocks::one,
    .in_place = InPlace::same_buffer,
    .reduces = true,
    .bus_factor = [](int n) { return 2.0 * (n - 1) / n; },  // reduce-scatter, then all-gather
    .rounds = [](int n) { return 2 * (n - 1); },
};

inline constexpr Traffic all_gather = {
    .collective = Collective::all_gather,
    .name = "all_gather",
    .summary = "every rank ends with every rank's block",
    .send = Blocks::one,
    .recv = Blocks::one_per_rank,
    .in_place = InPlace::send_is_block_of_recv,
    .reduces = false,
    .bus_factor = [](int n) { return 1.0 * (n - 1) / n; },  // all blocks but the rank's own
    .rounds = [](int n) { return n - 1; },
};

inline constexpr Traffic reduce_scatter = {
    .collective = Collective::reduce_scatter,
    .name = "reduce_scatter",
    .summary = "every rank ends with its own block of the reduction of all ranks' messages",
    .send = Blocks::one_per_rank,
    .recv = Blocks::one,
    .in_place = InPlace::recv_is_block_of_send,
    .reduces = true,
    .bus_factor = [](int n) { return 1.0 * (n - 1) / n; },  // all blocks but the rank's own
    .rounds = [](int n) { return n - 1; },
};

inline constexpr std::array kAll = {all_reduce, all_gather, reduce_scatter};

constexpr int blocks(Blocks blocks, int ranks) { return blocks == Blocks::one ? 1 : ranks; }

/// Whether the message is cut into one block per rank, so that its size must divide by the ranks.
constexpr bool is_sharded(const Traffic& t) {
  return t.send == Blocks::one_per_rank || t.recv == Blocks::one_per_rank;
}

/// Elements in a block of a message of at most `message` bytes.
///
/// Blocks of a sharded collective are cut to a multiple of 16 bytes, as nccl-tests does, so that
/// every rank's block is aligned alike; the message then shrinks to message_bytes(...).
constexpr Count block_count(const Traffic& t, Bytes message, DataType type, int ranks) {
  const Count elements = message / size_of(type);
  if (!is_sharded(t)) return elements;
  const Count aligned = 16 / size_of(type);
  return elements / static_cast<Count>(ranks) / aligned * aligned;
}

/// S: the bytes of a message of blocks of `count` elements.
constexpr Bytes message_bytes(const Traffic& t, Count count, DataType type, int ranks) {
  return count * size_of(type) * static_cast<Count>(is_sharded(t) ? ranks : 1);
}

constexpr Bytes send_bytes(const Traffic& t, Count count, DataType type, int ranks) {
  return count * size_of(type) * static_cast<Count>(blocks(t.send, ranks));
}

constexpr Bytes recv_bytes(const Traffic& t, Count count, DataType type, int ranks) {
  return count * size_of(type) * static_cast<Count>(blocks(t.recv, ranks));
}

}  // namespace traffic
}  // namespace collbench
