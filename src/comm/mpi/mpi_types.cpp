// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/mpi_types.h"

#include "comm/mpi/host_arithmetic.h"
#include "comm/mpi/large_count.h"
#include "comm/mpi/mpi_error.h"

namespace collbench {
namespace {

// MPI calls these with a pointer to MpiCount elements of MPI_UINT16_T.
template <class Float16>
void add_elements(void* in, void* inout, MpiCount* count, MPI_Datatype* /*type*/) {
  add(static_cast<const Float16*>(in), static_cast<Float16*>(inout), static_cast<Count>(*count));
}

template <class Float16>
void keep_larger_elements(void* in, void* inout, MpiCount* count, MPI_Datatype* /*type*/) {
  keep_larger(static_cast<const Float16*>(in), static_cast<Float16*>(inout),
              static_cast<Count>(*count));
}

MPI_Op commutative(void (*function)(void*, void*, MpiCount*, MPI_Datatype*)) {
  MPI_Op op = MPI_OP_NULL;
  COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Op_create)(function, /*commute=*/1, &op));
  return op;
}

}  // namespace

MpiTypes::MpiTypes() {
  types_[index(DataType::float32)] = MPI_FLOAT;
  types_[index(DataType::half)] = MPI_UINT16_T;
  types_[index(DataType::bfloat16)] = MPI_UINT16_T;
  types_[index(DataType::int32)] = MPI_INT32_T;
  for (auto& ops : ops_) ops = {MPI_SUM, MPI_MAX, MPI_SUM};
  const auto make = [&](DataType type, auto* sum, auto* max) {
    auto& ops = ops_[index(type)];
    ops[index(ReduceOp::sum)] = commutative(sum);
    ops[index(ReduceOp::max)] = commutative(max);
    ops[index(ReduceOp::avg)] = ops[index(ReduceOp::sum)];
  };
  make(DataType::half, add_elements<Half>, keep_larger_elements<Half>);
  make(DataType::bfloat16, add_elements<BFloat16>, keep_larger_elements<BFloat16>);
}

MpiTypes::~MpiTypes() {
  for (auto& ops : ops_) {
    if (ops[index(ReduceOp::sum)] == MPI_SUM) continue;
    MPI_Op_free(&ops[index(ReduceOp::sum)]);
    MPI_Op_free(&ops[index(ReduceOp::max)]);
  }
}

}  // namespace collbench
