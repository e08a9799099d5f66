// SPDX-License-Identifier: Apache-2.0
// Broadcast: every rank ends with the root's message.
//
// The message size S is what the root gives, and what each rank ends with. All of it must cross the
// link of every rank but the root, so the bus bandwidth is S/t. Out of place the root copies its
// message, too.
#include "app/run_collective.h"

using namespace collbench;

namespace {

CallGroups calls(const Setting& s, const Buffers& b) {
  return {{broadcast(b, s.count, s.type, s.root)}};
}

std::vector<ExpectedBlock> expected(const Setting& s) {
  return {{.source = Source::rank_data, .rank = s.root}};
}

static_assert(traffic::broadcast.bus_factor(4) == 1);  // the whole message, once into each rank

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::broadcast, calls, expected});
}
