// SPDX-License-Identifier: Apache-2.0
// NCCL's types by the C++ types that hold them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <nccl.h>

#include <cstdint>

namespace fakenccl {

/// Calls visit(T{}) with the C++ type that holds a type, which is one of NCCL's.
template <class Visit>
auto with_type(ncclDataType_t type, Visit visit) {
  switch (type) {
    case ncclInt8:
      return visit(std::int8_t{});
    case ncclUint8:
      return visit(std::uint8_t{});
    case ncclInt32:
      return visit(std::int32_t{});
    case ncclUint32:
      return visit(std::uint32_t{});
    case ncclInt64:
      return visit(std::int64_t{});
    case ncclUint64:
      return visit(std::uint64_t{});
    case ncclFloat16:
      return visit(__half{});
    case ncclFloat32:
      return visit(float{});
    case ncclFloat64:
      return visit(double{});
    case ncclBfloat16:
      return visit(__nv_bfloat16{});
    case ncclFloat8e4m3:
      return visit(__nv_fp8_e4m3{});
    case ncclFloat8e5m2:
    default:
      return visit(__nv_fp8_e5m2{});
  }
}

}  // namespace fakenccl
