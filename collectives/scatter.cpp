// SPDX-License-Identifier: Apache-2.0
// Scatter: every rank ends with its own block of the root's message.
//
// The message size S is what the root gives, as in nccl-tests: S/n to each rank. The root sends the
// n-1 blocks that belong to others over its link, so the bus bandwidth is S/t * (n-1)/n.
#include "app/run_collective.h"

using namespace collbench;

namespace {

CallGroups calls(const Setting& s, const Buffers& b) {
  return {{scatter(b, s.count, s.type, s.root)}};
}

// The rank's own block of the root's data.
std::vector<ExpectedBlock> expected(const Setting& s) {
  const Count first = static_cast<Count>(s.rank) * s.count;
  return {{.source = Source::rank_data, .rank = s.root, .first_element = first}};
}

static_assert(traffic::scatter.bus_factor(4) == 0.75);  // 3 of 4 blocks cross the root's link

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::scatter, calls, expected});
}
