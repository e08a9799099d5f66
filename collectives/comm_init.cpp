// SPDX-License-Identifier: Apache-2.0
// comm_init_perf: no collective, but what comes before the first one: making communicators, and
// what they cost until they are warm.
//
// The operation on each is an AllReduce, since that is what most programs begin with.
#include "app/run_comm_init.h"

using namespace collbench;

namespace {

CallGroups calls(const Setting& s, const Buffers& b) {
  return {{all_reduce(b, s.count, s.type, s.op)}};
}

std::vector<ExpectedBlock> expected(const Setting&) {
  return {{.source = Source::reduction_of_all}};
}

}  // namespace

int main(int argc, char** argv) {
  return run_comm_init(argc, argv, {traffic::all_reduce, calls, expected});
}
