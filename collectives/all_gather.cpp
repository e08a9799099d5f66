// SPDX-License-Identifier: Apache-2.0
// AllGather: every rank ends with every rank's block.
//
// The message size S is the gathered total, as in nccl-tests: a rank gives S/n and receives the
// n-1 blocks that it lacks. So the bus bandwidth is S/t * (n-1)/n.
#include "app/run_collective.h"

using namespace collbench;

namespace {

CallGroups calls(const Setting& s, const Buffers& b) { return {{all_gather(b, s.count, s.type)}}; }

// Block r of the result is rank r's data.
std::vector<ExpectedBlock> expected(const Setting& s) {
  std::vector<ExpectedBlock> blocks;
  for (int r = 0; r < s.ranks; ++r) blocks.push_back({.source = Source::rank_data, .rank = r});
  return blocks;
}

static_assert(traffic::all_gather.bus_factor(4) == 0.75);  // 3 of 4 blocks cross a rank's link

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::all_gather, calls, expected});
}
