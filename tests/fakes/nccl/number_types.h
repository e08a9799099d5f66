// SPDX-License-Identifier: Apache-2.0
// For the tests: NCCL's types by the C++ types that hold them, and bytes of whole numbers in them.
#pragma once

#include <nccl.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace fakenccl::test {

inline constexpr ncclDataType_t kAllTypes[] = {
    ncclInt8,    ncclUint8,   ncclInt32,   ncclUint32,   ncclInt64,      ncclUint64,
    ncclFloat16, ncclFloat32, ncclFloat64, ncclBfloat16, ncclFloat8e4m3, ncclFloat8e5m2};

/// Calls visit(T{}) with the C++ type of a type.
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
    default:
      return visit(__nv_fp8_e5m2{});
  }
}

inline std::vector<std::byte> encode(ncclDataType_t type, const std::vector<double>& values) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T value = static_cast<T>(static_cast<float>(values[i]));
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return bytes;
  });
}

inline std::vector<double> decode(ncclDataType_t type, const std::vector<std::byte>& bytes) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> values(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
      T value;
      std::memcpy(static_cast<void*>(&value), bytes.data() + i * sizeof(T), sizeof(T));
      values[i] = static_cast<double>(static_cast<float>(value));
    }
    return values;
  });
}

}  // namespace fakenccl::test
