// SPDX-License-Identifier: Apache-2.0
// Calls of messages: what a plan says of an exchange as a call of a communicator.
#pragma once

#include <cstddef>
#include <optional>

#include "comm/call.h"
#include "plan/plan.h"

namespace collbench::replay {

/// Where a rank stands in the group that a message goes through, and which of the buffers in its
/// slots is its own.
struct Place {
  int rank = 0;                             // position on Message::axis
  int ranks = 1;                            // of the group
  int part = 0;                             // position on Message::own_part_on, where it has one
  const traffic::Matrix* matrix = nullptr;  // of the message, if it has one; the plan's
};

Place place_of(const plan::Message& message, const plan::Plan& plan, int global_rank);

/// Where a call's buffers start in the message's slots, in bytes; none of one that this rank does
/// not use: of broadcast and scatter only the root's `send` is used, of reduce and gather only its
/// `recv`. In place (plan::is_in_place) the buffers lie as comm/call.h says, the own block of
/// gather and scatter on every rank.
struct BufferOffsets {
  std::optional<Bytes> send, recv;
};

/// Throws std::logic_error for what no call is: sendrecv, hypercube.
BufferOffsets buffer_offsets(const plan::Message& message, const Place& place);

/// What the rank exchanges with each other one; of an alltoallv only.
std::optional<PeerCounts> peer_counts(const plan::Message& message, const Place& place);

/// `read` and `written` are where the message's slots start; null where it has none. A buffer that
/// the call does not use is null. `counts` are those of peer_counts, and live as long as the call.
///
/// Peers and roots of the call are positions on the axis, as its communicator numbers them, or of a
/// pair's communicator 0 and 1, the smaller position first. Throws as buffer_offsets.
Call call_of(const plan::Message& message, const Place& place, std::byte* read, std::byte* written,
             const PeerCounts* counts = nullptr);

}  // namespace collbench::replay
