// SPDX-License-Identifier: Apache-2.0
// AllToAll: every rank sends a block of its own to every rank.
//
// The message size S is what each rank sends, and what each receives, as in nccl-tests: n blocks,
// of which one is the rank's own. So the bus bandwidth is S/t * (n-1)/n. In place it is no valid
// operation: what arrives would overwrite blocks that have yet to leave.
#include "app/run_collective.h"

using namespace collbench;

namespace {

CallGroups calls(const Setting& s, const Buffers& b) { return {{all_to_all(b, s.count, s.type)}}; }

// Block r of the result is rank r's block for this rank.
std::vector<ExpectedBlock> expected(const Setting& s) {
  const Count first = static_cast<Count>(s.rank) * s.count;
  std::vector<ExpectedBlock> blocks;
  for (int r = 0; r < s.ranks; ++r) {
    blocks.push_back({.source = Source::rank_data, .rank = r, .first_element = first});
  }
  return blocks;
}

static_assert(traffic::alltoall.bus_factor(4) == 0.75);  // 3 of 4 blocks cross a rank's link

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::alltoall, calls, expected});
}
