// SPDX-License-Identifier: Apache-2.0
#include "measure/interfering.h"

#include <array>

namespace collbench {
namespace {

std::vector<ExpectedBlock> nothing(const Setting&) { return {}; }

CallGroups to_the_next(const Setting& s, const Buffers& b) {
  const int next = (s.rank + 1) % s.ranks;
  const int previous = (s.rank + s.ranks - 1) % s.ranks;
  return {{send(b.send, s.count, s.type, next), recv(b.recv, s.count, s.type, previous)}};
}

}  // namespace

std::span<const Operation> interfering_operations() {
  static const std::array<Operation, 5> operations = {{
      {traffic::all_reduce,
       [](const Setting& s, const Buffers& b) {
         return CallGroups{{all_reduce(b, s.count, s.type, s.op)}};
       },
       nothing},
      {traffic::all_gather,
       [](const Setting& s, const Buffers& b) {
         return CallGroups{{all_gather(b, s.count, s.type)}};
       },
       nothing},
      {traffic::reduce_scatter,
       [](const Setting& s, const Buffers& b) {
         return CallGroups{{reduce_scatter(b, s.count, s.type, s.op)}};
       },
       nothing},
      {traffic::alltoall,
       [](const Setting& s, const Buffers& b) {
         return CallGroups{{all_to_all(b, s.count, s.type)}};
       },
       nothing},
      {traffic::sendrecv, to_the_next, nothing},
  }};
  return operations;
}

}  // namespace collbench
