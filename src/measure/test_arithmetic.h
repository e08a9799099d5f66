// SPDX-License-Identifier: Apache-2.0
// For tests: one step of a reduction as a device of the type does it, rounded at its end.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "base/element.h"
#include "base/reduce_op.h"

namespace collbench {

template <class T>
T one() {
  if constexpr (kIsInteger<T>) {
    return 1;
  } else {
    return from_double<T>(1);
  }
}

/// Throws std::overflow_error where integers do not hold the sum.
template <class T>
T add_in_type(T a, T b) {
  if constexpr (kIsInteger<T>) {
    T sum{};
    if (__builtin_add_overflow(a, b, &sum)) throw std::overflow_error("sum of integers");
    return sum;
  } else {
    return from_double<T>(to_double(a) + to_double(b));
  }
}

/// Unsigned integers wrap around; throws std::overflow_error where others do not hold the product.
template <class T>
T multiply_in_type(T a, T b) {
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(std::uint64_t{a} * b);
  } else if constexpr (kIsInteger<T>) {
    T product{};
    if (__builtin_mul_overflow(a, b, &product)) throw std::overflow_error("product of integers");
    return product;
  } else {
    return from_double<T>(to_double(a) * to_double(b));
  }
}

template <class T>
bool is_less(T a, T b) {
  if constexpr (kIsInteger<T>) {
    return a < b;
  } else {
    return to_double(a) < to_double(b);
  }
}

template <class T>
T combine_in_type(ReduceOp op, T a, T b) {
  if (op == ReduceOp::prod) return multiply_in_type(a, b);
  if (op == ReduceOp::max) return is_less(a, b) ? b : a;
  if (op == ReduceOp::min) return is_less(b, a) ? b : a;
  return add_in_type(a, b);
}

template <class T>
T scale_in_type(T value, int scalar) {
  if constexpr (kIsInteger<T>) {
    T product{};
    if (__builtin_mul_overflow(value, scalar, &product)) throw std::overflow_error("scaling");
    return product;
  } else {
    return multiply_in_type(value, from_double<T>(scalar));
  }
}

template <class T>
T divide_in_type(T value, int ranks) {
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(std::uint64_t{value} / static_cast<unsigned>(ranks));
  } else if constexpr (kIsInteger<T>) {
    return static_cast<T>(std::int64_t{value} / ranks);
  } else {
    return from_double<T>(to_double(value) / ranks);
  }
}

}  // namespace collbench
