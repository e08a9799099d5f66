// SPDX-License-Identifier: Apache-2.0
// How a rank waits for its peers: a short spin, then sleep on its doorbell. A wait ends when the
// communicator is broken for this rank: aborted, an asynchronous error, or a dead peer.
#pragma once

#include <cstdint>

#include "communicator.h"

namespace fakenccl {

/// Wakes the rank whose bell it is.
void ring(Doorbell& bell);
/// Wakes every rank but `rank` itself.
void ring_others(const Communicator& comm);

/// Sleeps until the own bell has rung since `seen` was read, at most 15 ms. False: broken.
bool sleep(Communicator& comm, std::uint32_t seen);

/// Waits until ready() holds. False: broken first.
template <class Ready>
bool wait_until(Communicator& comm, Ready ready) {
  while (true) {
    const std::uint32_t seen = comm.me().bell.rings.load();
    if (ready()) return true;
    if (!sleep(comm, seen)) return false;
  }
}

/// All ranks of the communicator meet on their streams. False: broken.
bool barrier(Communicator& comm);

Process this_process();
bool lives(const Process& process);

}  // namespace fakenccl
