// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nccl.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "communicator.h"
#include "faults.h"
#include "kinds.h"

namespace fakenccl {

/// One call of the program, checked, its buffers as memory that the host may touch.
struct Operation {
  Kind kind;
  const std::byte* send;  // nullptr where this rank sends nothing
  std::byte* receive;     // nullptr where this rank receives nothing
  std::size_t count;      // elements: per rank where a buffer has blocks
  ncclDataType_t type;
  Reduction reduction;
  int root;  // or peer
  Fault fault;
};

/// Runs the operations of one communicator that one group has issued: the collectives in order,
/// then all sends and receives together. `time_s` goes from the stream's time to that of the end.
/// False: broken.
bool run_operations(Communicator& comm, const std::vector<Operation>& operations, double& time_s);

/// One collective operation; false: broken. `time_s` goes from its start on this rank to its end.
bool run_collective(Communicator& comm, const Operation& op, double& time_s);

/// All sends and receives of a group; as above.
bool run_point_to_point(Communicator& comm, const std::vector<const Operation*>& ops,
                        double& time_s);

/// Seconds of virtual time that an operation takes once all its ranks are there.
double cost_s(std::size_t bytes);

}  // namespace fakenccl
