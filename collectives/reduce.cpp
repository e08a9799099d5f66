// SPDX-License-Identifier: Apache-2.0
// Reduce: the root ends with the reduction of all ranks' messages.
//
// The message size S is what each rank gives. All of it must cross the link of every rank but the
// root, so the bus bandwidth is S/t. The other ranks' receive buffers stay as they are.
#include "app/run_collective.h"

using namespace collbench;

namespace {

CallGroups calls(const Setting& s, const Buffers& b) {
  return {{reduce(b, s.count, s.type, s.op, s.root)}};
}

std::vector<ExpectedBlock> expected(const Setting& s) {
  return {{.source = s.rank == s.root ? Source::reduction_of_all : Source::untouched}};
}

static_assert(traffic::reduce.bus_factor(4) == 1);  // the whole message, once out of each rank

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::reduce, calls, expected});
}
