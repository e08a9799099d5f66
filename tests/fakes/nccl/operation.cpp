// SPDX-License-Identifier: Apache-2.0
#include "operation.h"

namespace fakenccl {

double run_operations(Communicator& comm, const std::vector<Operation>& operations,
                      double start_s) {
  double time_s = start_s;
  std::vector<const Operation*> messages;
  for (const Operation& op : operations) {
    if (is_point_to_point(op.kind)) {
      messages.push_back(&op);
    } else if (!run_collective(comm, op, time_s)) {
      return time_s;
    }
  }
  if (!messages.empty()) run_point_to_point(comm, messages, time_s);
  return time_s;
}

}  // namespace fakenccl
