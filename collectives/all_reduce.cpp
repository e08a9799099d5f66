// SPDX-License-Identifier: Apache-2.0
// AllReduce: every rank ends with the reduction of all ranks' messages.
//
// The message size S is what each rank gives, and what each ends with. However it is done, a rank
// must send 2 (n-1)/n S: its share of a reduce-scatter and of an all-gather. So the bus bandwidth
// is S/t * 2 (n-1)/n.
#include "app/run_collective.h"

using namespace collbench;

namespace {

CallGroups calls(const Setting& s, const Buffers& b) {
  return {{all_reduce(b, s.count, s.type, s.op)}};
}

std::vector<ExpectedBlock> expected(const Setting&) {
  return {{.source = Source::reduction_of_all}};
}

static_assert(traffic::all_reduce.bus_factor(4) == 1.5);  // 3 of 4 blocks, twice

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::all_reduce, calls, expected});
}
