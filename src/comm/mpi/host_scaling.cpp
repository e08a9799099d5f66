// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_scaling.h"

#include <array>
#include <cstring>
#include <type_traits>

#include "base/element.h"
#include "comm/mpi/vector_loop.h"

namespace collbench {
namespace {

template <class T>
inline constexpr bool kIsFloat8 = !kIsInteger<T> && sizeof(T) == 1;

// -- Division.

template <class T>
T quotient(T value, int divisor) {
  if constexpr (std::is_floating_point_v<T>) {
    return value / static_cast<T>(divisor);
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(value / static_cast<unsigned>(divisor));
  } else if constexpr (kIsInteger<T>) {
    return static_cast<T>(value / divisor);
  } else {
    return from_double<T>(to_double(value) / divisor);
  }
}

template <class T>
COLLBENCH_VECTOR_LOOP void divide_each(T* data, Count count, int divisor) {
  for (Count i = 0; i < count; ++i) data[i] = quotient(data[i], divisor);
}

// -- Multiplication.

template <class T>
T product(T value, int factor) {
  if constexpr (std::is_floating_point_v<T>) {
    return value * static_cast<T>(factor);
  } else if constexpr (kIsInteger<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(value) *
                          static_cast<unsigned>(factor));
  } else if constexpr (std::is_same_v<T, Half>) {
    return to_half(to_float(value) * static_cast<float>(factor));  // exact in a float
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return to_bfloat16(to_float(value) * static_cast<float>(factor));  // likewise
  } else {
    return from_double<T>(to_double(value) * factor);
  }
}

template <class T>
COLLBENCH_VECTOR_LOOP void scale_each(const T* from, T* to, Count count, int factor) {
  for (Count i = 0; i < count; ++i) to[i] = product(from[i], factor);
}

// -- 8-bit floats.

// to[i] = function(from[i]). Many elements go through a table of all 256 results.
template <class Float8, class Function>
void map(const Float8* from, Float8* to, Count count, Function function) {
  constexpr Count kWorthATable = 512;
  if (count < kWorthATable) {
    for (Count i = 0; i < count; ++i) to[i] = function(from[i]);
    return;
  }
  std::array<Float8, 256> results;
  for (unsigned bits = 0; bits < results.size(); ++bits) {
    results[bits] = function(Float8{static_cast<std::uint8_t>(bits)});
  }
  for (Count i = 0; i < count; ++i) to[i] = results[from[i].bits];
}

}  // namespace

void divide(void* data, Count count, DataType type, int divisor) {
  visit_element_type(type, [&](auto element) {
    using T = typename decltype(element)::type;
    auto* values = static_cast<T*>(data);
    if constexpr (kIsFloat8<T>) {
      map(values, values, count, [divisor](T value) { return quotient(value, divisor); });
    } else {
      divide_each(values, count, divisor);
    }
  });
}

void scale(const void* from, void* to, Count count, DataType type, int factor) {
  visit_element_type(type, [&](auto element) {
    using T = typename decltype(element)::type;
    if constexpr (kIsFloat8<T>) {
      map(static_cast<const T*>(from), static_cast<T*>(to), count,
          [factor](T value) { return product(value, factor); });
    } else {
      scale_each(static_cast<const T*>(from), static_cast<T*>(to), count, factor);
    }
  });
}

}  // namespace collbench
