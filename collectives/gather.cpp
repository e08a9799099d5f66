// SPDX-License-Identifier: Apache-2.0
// Gather: the root ends with every rank's block.
//
// The message size S is the gathered total, as in nccl-tests: S/n from each rank. The root receives
// the n-1 blocks that it lacks over its link, so the bus bandwidth is S/t * (n-1)/n. The other
// ranks' receive buffers stay as they are.
#include "app/run_collective.h"

using namespace collbench;

namespace {

CallGroups calls(const Setting& s, const Buffers& b) {
  return {{gather(b, s.count, s.type, s.root)}};
}

// At the root block r of the result is rank r's data.
std::vector<ExpectedBlock> expected(const Setting& s) {
  const Source source = s.rank == s.root ? Source::rank_data : Source::untouched;
  std::vector<ExpectedBlock> blocks;
  for (int r = 0; r < s.ranks; ++r) blocks.push_back({.source = source, .rank = r});
  return blocks;
}

static_assert(traffic::gather.bus_factor(4) == 0.75);  // 3 of 4 blocks cross the root's link

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::gather, calls, expected});
}
