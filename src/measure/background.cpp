// SPDX-License-Identifier: Apache-2.0
#include "measure/background.h"

#include "base/errors.h"

namespace collbench {
namespace {

constexpr std::uint64_t kMostOperations = 1 << 20;

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
  if (operations_ >= kMostOperations) {
    throw SystemError(
        "--interfere: the other operation ends at once, however often it is repeated");
  }
  operations_ *= 2;
  return false;
}

}  // namespace collbench
