// SPDX-License-Identifier: Apache-2.0
#include "base/reduce_op.h"

#include "base/named_rows.h"

namespace collbench {

ReduceOp parse_reduce_op(std::string_view name) {
  return find_named(kReduceOps, name, "-o", "reduction operation").op;
}

}  // namespace collbench
