// SPDX-License-Identifier: Apache-2.0
// Exchange: one alltoallv of all ranks, and what it is for one of them.
#pragma once

#include "base/data_type.h"
#include "comm/call.h"
#include "traffic/matrix.h"

namespace collbench {

/// Blocks lie in both buffers one after the other, in the order of the ranks that they go to or
/// come from.
struct Exchange {
  traffic::Matrix elements;  // of every pair of ranks
  PeerCounts mine;           // row and column of this rank
};

/// `bytes` are multiples of the element's size, see traffic::scaled.
Exchange make_exchange(const traffic::Matrix& bytes, DataType type, int rank);

/// Of a message of so many bytes, spread as the weights say.
Exchange make_exchange(const traffic::Matrix& weights, Bytes message_bytes, DataType type,
                       int rank);

/// Where the block for `to` begins in what `from` sends.
Count first_sent(const Exchange& exchange, int from, int to);

}  // namespace collbench
