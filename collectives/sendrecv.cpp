// SPDX-License-Identifier: Apache-2.0
// SendRecv: every rank sends its message to the next one and receives the one of the rank before.
//
// The message size S is what each rank sends, round the ring, in one fused group with what it
// receives. S crosses a rank's link in each direction and, as in nccl-tests, one direction counts:
// the bus bandwidth is S/t. In place it is no valid operation: what arrives would overwrite what
// has yet to leave.
#include "app/run_collective.h"

using namespace collbench;

namespace {

int previous(const Setting& s) { return (s.rank + s.ranks - 1) % s.ranks; }
int next(const Setting& s) { return (s.rank + 1) % s.ranks; }

CallGroups calls(const Setting& s, const Buffers& b) {
  return {{send(b.send, s.count, s.type, next(s)), recv(b.recv, s.count, s.type, previous(s))}};
}

std::vector<ExpectedBlock> expected(const Setting& s) {
  return {{.source = Source::rank_data, .rank = previous(s)}};
}

static_assert(traffic::sendrecv.bus_factor(4) == 1);  // the whole message, once out of each rank

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::sendrecv, calls, expected});
}
