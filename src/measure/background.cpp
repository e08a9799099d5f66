// SPDX-License-Identifier: Apache-2.0
#include "measure/background.h"

namespace collbench {
namespace {

// A block lasts 1 ms, or some operations: much more than enough of the shortest ones. A GPU's
// stream holds about a thousand, and blocks who enqueues more until there is room.
constexpr std::uint64_t kMostOperations = 1 << 14;

}  // namespace

Background::Background(ControlPlane& control, Communicator& comm, Stream& stream,
                       const Operation& operation, const Setting& setting,
                       const Placement& placement)
    : control_(control),
      comm_(comm),
      stream_(stream),
      calls_(operation, setting, placement, 1),
      takes_part_(setting.ranks > 1 && !operation.calls(setting, placement.buffers).empty()) {}

void Background::start() { calls_.enqueue(operations_, comm_, stream_); }

bool Background::outlasted() {
  const bool ended_early = takes_part_ && stream_.query();
  stream_.synchronize();
  const bool all_outlasted = control_.max(ended_early ? 1.0 : 0.0) == 0;
  if (all_outlasted) return true;
  if (operations_ >= kMostOperations) throw TooShort();
  operations_ *= 2;
  return false;
}

}  // namespace collbench
