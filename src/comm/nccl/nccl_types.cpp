// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_types.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "base/element.h"
#include "comm/nccl/library_versions.h"
#include "comm/nccl/nccl_error.h"

namespace collbench {
namespace {

bool is_float8(DataType type) { return type == DataType::f8e4m3 || type == DataType::f8e5m2; }

// An element of the type in host memory, as NCCL reads it.
struct Scalar {
  alignas(8) std::array<std::byte, 8> bytes{};
};

Scalar scalar_of(int value, DataType type) {
  return visit_element_type(type, [&](auto element) {
    using T = typename decltype(element)::type;
    Scalar scalar;
    if constexpr (kIsInteger<T>) {
      const T number = static_cast<T>(value);
      std::memcpy(scalar.bytes.data(), &number, sizeof number);
    } else {
      const T number = from_double<T>(value);
      std::memcpy(scalar.bytes.data(), &number, sizeof number);
    }
    return scalar;
  });
}

}  // namespace

ncclDataType_t nccl_type(DataType type) {
  switch (type) {
    case DataType::int8:
      return ncclInt8;
    case DataType::uint8:
      return ncclUint8;
    case DataType::int32:
      return ncclInt32;
    case DataType::uint32:
      return ncclUint32;
    case DataType::int64:
      return ncclInt64;
    case DataType::uint64:
      return ncclUint64;
    case DataType::half:
      return ncclFloat16;
    case DataType::float32:
      return ncclFloat32;
    case DataType::float64:
      return ncclFloat64;
    case DataType::bfloat16:
      return ncclBfloat16;
    case DataType::f8e4m3:
      return ncclFloat8e4m3;
    case DataType::f8e5m2:
      return ncclFloat8e5m2;
  }
  throw std::logic_error("no element type");
}

ncclDataType_t nccl_type_to_move(DataType type) {
  return is_float8(type) ? ncclUint8 : nccl_type(type);
}

std::string why_not_reducible(DataType type, const Float8Support& support) {
  if (!is_float8(type)) return "";
  if (support.nccl_version < kNcclWithFloat8) {
    return fmt::format("NCCL {} does not reduce {}, which it does from {} on",
                       nccl_version_text(support.nccl_version), name_of(type),
                       nccl_version_text(kNcclWithFloat8));
  }
  if (support.compute_capability < 90) {
    return fmt::format(
        "NCCL reduces {} on GPUs of compute capability 9.0 or more, and a rank has {}.{}",
        name_of(type), support.compute_capability / 10, support.compute_capability % 10);
  }
  return "";
}

ncclRedOp_t NcclOps::of(ReduceOp op, DataType type, ncclComm_t comm) {
  switch (op) {
    case ReduceOp::sum:
      return ncclSum;
    case ReduceOp::prod:
      return ncclProd;
    case ReduceOp::max:
      return ncclMax;
    case ReduceOp::min:
      return ncclMin;
    case ReduceOp::avg:
      return ncclAvg;
    case ReduceOp::mulsum:
      return scaled_sum(type, comm);
  }
  throw std::logic_error("no reduction");
}

ncclRedOp_t NcclOps::scaled_sum(DataType type, ncclComm_t comm) {
  const auto i = static_cast<std::size_t>(type);
  if (!made_[i]) {
    Scalar scalar = scalar_of(mulsum_scalar(rank_), type);
    check_nccl(ncclRedOpCreatePreMulSum(&scaled_sums_[i], scalar.bytes.data(), nccl_type(type),
                                        ncclScalarHostImmediate, comm),
               "ncclRedOpCreatePreMulSum");
    made_[i] = true;
  }
  return scaled_sums_[i];
}

void NcclOps::release(ncclComm_t comm) {
  for (std::size_t i = 0; i < made_.size(); ++i) {
    if (made_[i]) ncclRedOpDestroy(scaled_sums_[i], comm);
    made_[i] = false;
  }
}

}  // namespace collbench
