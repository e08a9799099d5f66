// SPDX-License-Identifier: Apache-2.0
// MpiTypes: what MPI calls our element types and reduction operations.
#pragma once

#include <mpi.h>

#include <array>

#include "base/data_type.h"
#include "base/reduce_op.h"

namespace collbench {

/// Tables only, for the fast path; owns the operations that MPI lacks: those of the 16-bit floats,
/// which travel as plain 16-bit integers. Destroyed before MPI_Finalize and after all
/// communicators that use it.
class MpiTypes {
 public:
  MpiTypes();
  ~MpiTypes();
  MpiTypes(const MpiTypes&) = delete;
  MpiTypes& operator=(const MpiTypes&) = delete;

  MPI_Datatype type(DataType type) const { return types_[index(type)]; }

  /// ReduceOp::avg is a sum here; whoever asks for it divides afterwards.
  MPI_Op op(DataType type, ReduceOp op) const { return ops_[index(type)][index(op)]; }

 private:
  template <class Enum>
  static constexpr std::size_t index(Enum value) {
    return static_cast<std::size_t>(value);
  }

  std::array<MPI_Datatype, kDataTypes.size()> types_{};
  std::array<std::array<MPI_Op, kReduceOps.size()>, kDataTypes.size()> ops_{};
};

}  // namespace collbench
