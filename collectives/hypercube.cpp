// SPDX-License-Identifier: Apache-2.0
// Hypercube: an all-gather by pairs of ranks, which exchange twice as much in every step.
//
// The message size S is the gathered total, as in nccl-tests. In step k a rank exchanges all 2^k
// blocks that it has with the rank whose number differs in bit k: 1 + 2 + 4 + ... = n-1 blocks of
// S/n in log2(n) steps, for a power of two of ranks. So the bus bandwidth is S/t * (n-1)/n.
#include "app/run_collective.h"

using namespace collbench;

namespace {

// The blocks of ranks `first` and after it, as many as the step exchanges.
std::byte* blocks(const Setting& s, const Buffers& b, int first) {
  return static_cast<std::byte*>(b.recv) + static_cast<Bytes>(first) * s.count * size_of(s.type);
}

std::vector<Call> exchange(const Setting& s, const Buffers& b, int step) {
  const int size = 1 << step;
  const int partner = s.rank ^ size;
  const int mine = s.rank & ~(size - 1);  // the first rank whose block this one has
  const int theirs = mine ^ size;
  const Count count = static_cast<Count>(size) * s.count;
  return {send(blocks(s, b, mine), count, s.type, partner),
          recv(blocks(s, b, theirs), count, s.type, partner)};
}

// Out of place a rank first sends its own block to itself.
CallGroups calls(const Setting& s, const Buffers& b) {
  std::byte* const own = blocks(s, b, s.rank);
  CallGroups groups(1);
  if (b.send != own) {
    groups[0] = {send(b.send, s.count, s.type, s.rank), recv(own, s.count, s.type, s.rank)};
  }
  for (int step = 0; step < traffic::hypercube.rounds(s.ranks); ++step) {
    groups.push_back(exchange(s, b, step));
  }
  return groups;
}

// Block r of the result is rank r's data.
std::vector<ExpectedBlock> expected(const Setting& s) {
  std::vector<ExpectedBlock> blocks;
  for (int r = 0; r < s.ranks; ++r) blocks.push_back({.source = Source::rank_data, .rank = r});
  return blocks;
}

static_assert(traffic::hypercube.bus_factor(4) == 0.75 && traffic::hypercube.rounds(4) == 2);

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::hypercube, calls, expected});
}
