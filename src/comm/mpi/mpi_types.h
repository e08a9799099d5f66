// SPDX-License-Identifier: Apache-2.0
// MpiTypes: what MPI calls our element types and reduction operations.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "base/bytes.h"
#include "base/data_type.h"
#include "base/reduce_op.h"

namespace collbench {

/// Tables only, for the fast path; owns the operations that MPI lacks: those of the 16-bit and
/// 8-bit floats, which travel as plain integers of their size. Owns maxima and minima of unsigned
/// integers, too, since releases of MPICH and Open MPI compare these as signed ones (MPICH issues
/// 6083 and 7507, Open MPI issues 10276 and 10525). Destroyed before MPI_Finalize and after all
/// communicators that use it.
class MpiTypes {
 public:
  MpiTypes();
  ~MpiTypes();
  MpiTypes(const MpiTypes&) = delete;
  MpiTypes& operator=(const MpiTypes&) = delete;

  MPI_Datatype type(DataType type) const { return types_[index(type)]; }

  /// avg and mulsum are sums here: whoever asks for them divides afterwards, or scales before.
  MPI_Op op(DataType type, ReduceOp op) const { return ops_[index(type)][index(op)]; }

 private:
  template <class Enum>
  static constexpr std::size_t index(Enum value) {
    return static_cast<std::size_t>(value);
  }

  struct BasicOps {
    MPI_Op sum, prod, max, min;
  };
  void set_ops(DataType type, const BasicOps& basic);

  template <class T, void (*kReduction)(const T*, T*, Count)>
  MPI_Op make_op();
  template <class Float>
  void make_ops(DataType type);
  template <class Unsigned>
  void make_order_ops(DataType type);

  std::array<MPI_Datatype, kDataTypes.size()> types_{};
  std::array<std::array<MPI_Op, kReduceOps.size()>, kDataTypes.size()> ops_{};
  std::vector<MPI_Op> own_;
};

}  // namespace collbench
