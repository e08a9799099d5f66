// SPDX-License-Identifier: Apache-2.0
// Calls larger than one call of an MPI library: whether they are, and the smaller calls that do the
// same.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "comm/call.h"

namespace collbench {

/// Of the block that `count` counts.
inline Bytes block_bytes(const Call& call) { return call.count * size_of(call.type); }

/// What one call of the MPI library can do. See docs/large-messages.md for where this comes from.
struct CallLimits {
  Count count;            // elements that one argument can say
  Count sum;              // elements or bytes that blocking collectives can add up inside
  Count nonblocking_sum;  // likewise, of nonblocking ones
  Bytes piece_bytes;      // of the pieces that a message is cut into
};

/// So few elements that every call of them is whole, whatever its kind and type.
Count always_whole(const CallLimits& limits, int ranks);

enum class CallForm : std::uint8_t {
  whole,       // one call
  pieces,      // the same call for one part of the message after the other
  messages,    // a message from each rank to each that needs its block
  impossible,  // neither: see why_impossible
};

/// The same on every rank, but for all_to_all_v, where a rank knows only its own counts.
CallForm form_of(const Call& call, int ranks, bool nonblocking, const CallLimits& limits);

/// The clause that a skipped row has for its reason.
std::string why_impossible(const Call& call, const CallLimits& limits);

/// In order, none larger than piece_bytes. Requires a call that has CallForm::pieces, or a send or
/// receive of any size.
std::vector<Call> pieces_of(const Call& call, const CallLimits& limits);

/// What this rank sends and receives, whole. Requires a call that has CallForm::messages. A rank's
/// block for itself is not among them, see own_block_of.
std::vector<Call> messages_of(const Call& call, int rank, int ranks);

/// Where the rank's block for itself comes from and goes to. The two are equal where it stays;
/// null where the rank has none.
Buffers own_block_of(const Call& call, int rank);

/// The memory that a call takes beside its buffers while it lasts, at most: our own, and MPICH's;
/// other libraries are taken to be like it.
Bytes extra_bytes(const Call& call, int ranks, CallForm form, const CallLimits& limits);

}  // namespace collbench
