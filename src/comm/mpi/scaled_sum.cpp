// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/scaled_sum.h"

#include <stdexcept>

#include "comm/mpi/host_scaling.h"

namespace collbench {
namespace {

const void* scale_into(ScratchMemory::Lease& scratch, const Call& call, Count count,
                       const CallContext& context) {
  scratch = context.scratch->lend(count * size_of(call.type));
  scale(call.send, scratch.get(), count, call.type, mulsum_scalar(context.rank));
  return scratch.get();
}

}  // namespace

Call scale_for_sum(const Call& call, const CallContext& context, ScratchMemory::Lease& scratch) {
  const int factor = mulsum_scalar(context.rank);
  Call sum = call;
  sum.op = ReduceOp::sum;
  switch (call.kind) {
    case CallKind::all_reduce:
      sum.send = call.recv;
      scale(call.send, call.recv, call.count, call.type, factor);
      return sum;
    case CallKind::reduce_scatter: {
      const Count count = call.count * static_cast<Count>(context.size);
      if (is_in_place(call, context)) {
        scale(call.send, const_cast<void*>(call.send), count, call.type, factor);
      } else {
        sum.send = scale_into(scratch, call, count, context);
      }
      return sum;
    }
    case CallKind::reduce:  // only its root has a receive buffer
      sum.send = scale_into(scratch, call, call.count, context);
      return sum;
    default:
      throw std::logic_error("a scaled sum of what is no reduction");
  }
}

}  // namespace collbench
