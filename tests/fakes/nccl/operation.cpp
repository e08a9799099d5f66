// SPDX-License-Identifier: Apache-2.0
#include "operation.h"

namespace fakenccl {

bool run_operations(Communicator& comm, const std::vector<Operation>& operations, double& time_s) {
  std::vector<const Operation*> messages;
  for (const Operation& op : operations) {
    if (is_point_to_point(op.kind)) {
      messages.push_back(&op);
    } else if (!run_collective(comm, op, time_s)) {
      return false;
    }
  }
  return messages.empty() || run_point_to_point(comm, messages, time_s);
}

}  // namespace fakenccl
