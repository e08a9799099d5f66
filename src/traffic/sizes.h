// SPDX-License-Identifier: Apache-2.0
// The sizes of a collective's messages and buffers, as they follow from its row, and what it cannot
// do.
//
// Source of the size semantics: nccl-tests, the byte counts of its collectives.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/data_type.h"
#include "traffic/traffic.h"

namespace collbench::traffic {

/// Blocks are whole multiples of this, so that every rank's block is aligned alike.
inline constexpr Bytes kBlockAlignment = 16;

constexpr int blocks(Blocks blocks, int ranks) { return blocks == Blocks::one ? 1 : ranks; }

/// Whether the message is cut into one block per rank, so that its size must divide by the ranks.
constexpr bool is_sharded(const Traffic& t) {
  return t.send == Blocks::one_per_rank || t.recv == Blocks::one_per_rank;
}

/// Elements in a block of a message of at most `message` bytes.
///
/// Blocks of a sharded collective are cut to a multiple of 16 bytes, as nccl-tests does; the
/// message then shrinks to message_bytes(...). Where a traffic matrix says what is sent this holds
/// for the uniform one, see traffic/matrix.h.
constexpr Count block_count(const Traffic& t, Bytes message, DataType type, int ranks) {
  const Count elements = message / size_of(type);
  if (!is_sharded(t)) return elements;
  const Count aligned = kBlockAlignment / size_of(type);
  return elements / static_cast<Count>(ranks) / aligned * aligned;
}

/// S: the bytes of a message of blocks of `count` elements.
constexpr Bytes message_bytes(const Traffic& t, Count count, DataType type, int ranks) {
  return count * size_of(type) * static_cast<Count>(is_sharded(t) ? ranks : 1);
}

/// Of the rank that sends most.
constexpr Bytes send_bytes(const Traffic& t, Count count, DataType type, int ranks) {
  return count * size_of(type) * static_cast<Count>(blocks(t.send, ranks));
}

/// Of the rank that receives most.
constexpr Bytes recv_bytes(const Traffic& t, Count count, DataType type, int ranks) {
  return count * size_of(type) * static_cast<Count>(blocks(t.recv, ranks));
}

/// Why so many ranks cannot run the collective; empty when they can.
std::string why_not_on(const Traffic& t, int ranks);

/// Why the collective cannot work in place; empty when it can.
std::string why_not_in_place(const Traffic& t);

}  // namespace collbench::traffic
