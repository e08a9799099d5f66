// SPDX-License-Identifier: Apache-2.0
// Element types and reductions as NCCL has them.
#pragma once

#include <nccl.h>

#include <array>
#include <cstddef>
#include <string>

#include "base/data_type.h"
#include "base/reduce_op.h"

namespace collbench {

ncclDataType_t nccl_type(DataType type);

/// The type to move elements as: that of the same size which every NCCL and GPU has.
ncclDataType_t nccl_type_to_move(DataType type);

/// Which numbers of 8 bits the ranks of a run can reduce, by what the least of them has.
struct Float8Support {
  int nccl_version = 0;
  int compute_capability = 0;  // 90 is 9.0
};

/// Why elements of this type cannot be reduced, as a clause; empty when they can.
std::string why_not_reducible(DataType type, const Float8Support& support);

/// The reductions of one communicator: those of NCCL, and scaled sums, made as they are needed.
class NcclOps {
 public:
  /// What the rank scales its data with depends on its number in the communicator.
  explicit NcclOps(int rank) : rank_(rank) {}

  /// Throws SystemError.
  ncclRedOp_t of(ReduceOp op, DataType type, ncclComm_t comm);

  /// Gives the scaled sums back, before the communicator goes.
  void release(ncclComm_t comm);

 private:
  ncclRedOp_t scaled_sum(DataType type, ncclComm_t comm);

  int rank_;
  std::array<ncclRedOp_t, kDataTypes.size()> scaled_sums_{};  // by type
  std::array<bool, kDataTypes.size()> made_{};
};

}  // namespace collbench
