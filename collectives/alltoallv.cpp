// SPDX-License-Identifier: Apache-2.0
// AllToAllV: every rank sends to every rank as much as a traffic matrix says.
//
// The message size S is the most that any rank sends or receives, as in nccl-tests: the matrix is
// scaled to it. The bus bandwidth is S/t * (n-1)/n, as if every rank kept the n-th part of S for
// itself; it says how well the busiest rank's link was used. In place it is no valid operation:
// what arrives would overwrite blocks that have yet to leave.
#include "app/run_collective.h"

using namespace collbench;

namespace {

CallGroups calls(const Setting& s, const Buffers& b) {
  return {{all_to_all_v(b, s.exchange->mine, s.type)}};
}

// Block r of the result is rank r's block for this rank.
std::vector<ExpectedBlock> expected(const Setting& s) {
  std::vector<ExpectedBlock> blocks;
  for (int r = 0; r < s.ranks; ++r) {
    blocks.push_back({.source = Source::rank_data,
                      .rank = r,
                      .first_element = first_sent(*s.exchange, r, s.rank),
                      .count = s.exchange->elements.at(r, s.rank)});
  }
  return blocks;
}

static_assert(traffic::alltoallv.bus_factor(4) == 0.75);  // 3 of 4 parts cross a rank's link

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::alltoallv, calls, expected});
}
