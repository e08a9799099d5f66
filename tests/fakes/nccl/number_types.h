// SPDX-License-Identifier: Apache-2.0
// For the tests: NCCL's types, and bytes of whole numbers in them.
#pragma once

#include <nccl.h>

#include <cstring>
#include <vector>

#include "element_types.h"

namespace fakenccl::test {

inline constexpr ncclDataType_t kAllTypes[] = {
    ncclInt8,    ncclUint8,   ncclInt32,   ncclUint32,   ncclInt64,      ncclUint64,
    ncclFloat16, ncclFloat32, ncclFloat64, ncclBfloat16, ncclFloat8e4m3, ncclFloat8e5m2};

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
