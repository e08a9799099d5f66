// SPDX-License-Identifier: Apache-2.0
// ReduceScatter: every rank ends with its own block of the reduction of all ranks' messages.
//
// The message size S is what each rank gives, as in nccl-tests: a rank sends the n-1 blocks that
// belong to others and ends with S/n. So the bus bandwidth is S/t * (n-1)/n.
#include "app/run_collective.h"

using namespace collbench;

namespace {

CallGroups calls(const Setting& s, const Buffers& b) {
  return {{reduce_scatter(b, s.count, s.type, s.op)}};
}

// The rank's own block of the reduction.
std::vector<ExpectedBlock> expected(const Setting& s) {
  const Count first = static_cast<Count>(s.rank) * s.count;
  return {{.source = Source::reduction_of_all, .first_element = first}};
}

static_assert(traffic::reduce_scatter.bus_factor(4) == 0.75);  // 3 of 4 blocks cross a rank's link

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::reduce_scatter, calls, expected});
}
