// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/mpi_types.h"

#include "comm/mpi/host_arithmetic.h"
#include "comm/mpi/large_count.h"
#include "comm/mpi/mpi_error.h"

namespace collbench {
namespace {

template <class T>
using Reduction = void (*)(const T*, T*, Count);

// What MPI calls, with a pointer to the count of elements.
template <class T, Reduction<T> kReduction>
void reduce_elements(void* in, void* inout, MpiCount* count, MPI_Datatype* /*type*/) {
  kReduction(static_cast<const T*>(in), static_cast<T*>(inout), static_cast<Count>(*count));
}

MPI_Datatype mpi_type(DataType type) {
  switch (type) {
    case DataType::int8:
      return MPI_INT8_T;
    case DataType::uint8:
    case DataType::f8e4m3:
    case DataType::f8e5m2:
      return MPI_UINT8_T;
    case DataType::int32:
      return MPI_INT32_T;
    case DataType::uint32:
      return MPI_UINT32_T;
    case DataType::int64:
      return MPI_INT64_T;
    case DataType::uint64:
      return MPI_UINT64_T;
    case DataType::half:
    case DataType::bfloat16:
      return MPI_UINT16_T;
    case DataType::float32:
      return MPI_FLOAT;
    case DataType::float64:
      return MPI_DOUBLE;
  }
  return MPI_DATATYPE_NULL;
}

}  // namespace

MpiTypes::MpiTypes() {
  for (const DataTypeRow& row : kDataTypes) {
    types_[index(row.type)] = mpi_type(row.type);
    set_ops(row.type, {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN});
  }
  make_ops<Half>(DataType::half);
  make_ops<BFloat16>(DataType::bfloat16);
  make_ops<Float8E4M3>(DataType::f8e4m3);
  make_ops<Float8E5M2>(DataType::f8e5m2);
  make_order_ops<std::uint8_t>(DataType::uint8);
  make_order_ops<std::uint32_t>(DataType::uint32);
  make_order_ops<std::uint64_t>(DataType::uint64);
}

MpiTypes::~MpiTypes() {
  for (MPI_Op& op : own_) MPI_Op_free(&op);
}

void MpiTypes::set_ops(DataType type, const BasicOps& basic) {
  auto& ops = ops_[index(type)];
  ops[index(ReduceOp::sum)] = basic.sum;
  ops[index(ReduceOp::prod)] = basic.prod;
  ops[index(ReduceOp::max)] = basic.max;
  ops[index(ReduceOp::min)] = basic.min;
  ops[index(ReduceOp::avg)] = basic.sum;
  ops[index(ReduceOp::mulsum)] = basic.sum;
}

template <class T, void (*kReduction)(const T*, T*, Count)>
MPI_Op MpiTypes::make_op() {
  MPI_Op op = MPI_OP_NULL;
  COLLBENCH_MPI_CHECK(
      COLLBENCH_MPI_C(MPI_Op_create)(reduce_elements<T, kReduction>, /*commute=*/1, &op));
  own_.push_back(op);
  return op;
}

template <class Float>
void MpiTypes::make_ops(DataType type) {
  set_ops(type, {make_op<Float, add<Float>>(), make_op<Float, multiply<Float>>(),
                 make_op<Float, keep_larger<Float>>(), make_op<Float, keep_smaller<Float>>()});
}

template <class Unsigned>
void MpiTypes::make_order_ops(DataType type) {
  set_ops(type, {MPI_SUM, MPI_PROD, make_op<Unsigned, keep_larger<Unsigned>>(),
                 make_op<Unsigned, keep_smaller<Unsigned>>()});
}

}  // namespace collbench
