// SPDX-License-Identifier: Apache-2.0
// The C++ type of each element type, which numbers it has, and its conversions from and to double.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/data_type.h"
#include "base/float16.h"
#include "base/float8.h"

namespace collbench {

/// Calls the visitor with std::type_identity of the C++ type of the elements:
///
///   visit_element_type(type, [&](auto element) {
///     using T = typename decltype(element)::type;
///   });
template <class Visitor>
decltype(auto) visit_element_type(DataType type, Visitor&& visitor) {
  switch (type) {
    case DataType::int8:
      return visitor(std::type_identity<std::int8_t>{});
    case DataType::uint8:
      return visitor(std::type_identity<std::uint8_t>{});
    case DataType::int32:
      return visitor(std::type_identity<std::int32_t>{});
    case DataType::uint32:
      return visitor(std::type_identity<std::uint32_t>{});
    case DataType::int64:
      return visitor(std::type_identity<std::int64_t>{});
    case DataType::uint64:
      return visitor(std::type_identity<std::uint64_t>{});
    case DataType::half:
      return visitor(std::type_identity<Half>{});
    case DataType::float32:
      return visitor(std::type_identity<float>{});
    case DataType::float64:
      return visitor(std::type_identity<double>{});
    case DataType::bfloat16:
      return visitor(std::type_identity<BFloat16>{});
    case DataType::f8e4m3:
      return visitor(std::type_identity<Float8E4M3>{});
    case DataType::f8e5m2:
      return visitor(std::type_identity<Float8E5M2>{});
  }
  throw std::logic_error("no element type");
}

template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T>;

/// Which finite numbers a floating-point element type has.
struct FloatRange {
  int digits;                  // of the significand; integers up to 2^digits are exact
  int min_exponent;            // 2^min_exponent is the least normal number
  int max_exponent;            // 2^max_exponent is the largest power of two
  std::uint64_t largest_bits;  // pattern of the largest number
};

template <class T>
inline constexpr FloatRange kFloatRange{};
template <>
inline constexpr FloatRange kFloatRange<Half>{11, -14, 15, 0x7bff};
template <>
inline constexpr FloatRange kFloatRange<BFloat16>{8, -126, 127, 0x7f7f};
template <>
inline constexpr FloatRange kFloatRange<Float8E4M3>{4, -6, 8, 0x7e};
template <>
inline constexpr FloatRange kFloatRange<Float8E5M2>{3, -14, 15, 0x7b};
template <>
inline constexpr FloatRange kFloatRange<float>{24, -126, 127, 0x7f7fffff};
template <>
inline constexpr FloatRange kFloatRange<double>{53, -1022, 1023, 0x7fefffffffffffff};

/// The float on the side of zero, but where bits are lost its last bit is set. Rounding it further,
/// to a format of at most 22 digits, gives what rounding the double at once would give.
inline float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  const auto back = static_cast<double>(nearest);
  bits -= std::fabs(back) > std::fabs(value) ? 1U : 0U;
  bits |= back != value ? 1U : 0U;
  return std::bit_cast<float>(bits);
}

/// The number of a floating-point element.
inline double to_double(double value) { return value; }
inline double to_double(float value) { return static_cast<double>(value); }
inline double to_double(Half value) { return static_cast<double>(to_float(value)); }
inline double to_double(BFloat16 value) { return static_cast<double>(to_float(value)); }
inline double to_double(Float8E4M3 value) { return static_cast<double>(to_float(value)); }
inline double to_double(Float8E5M2 value) { return static_cast<double>(to_float(value)); }

/// The floating-point element nearest to a number, ties to even.
template <class T>
T from_double(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(round_to_odd(value));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return to_bfloat16(round_to_odd(value));
  } else if constexpr (std::is_same_v<T, Float8E4M3>) {
    return to_float8_e4m3(round_to_odd(value));
  } else if constexpr (std::is_same_v<T, Float8E5M2>) {
    return to_float8_e5m2(round_to_odd(value));
  } else {
    static_assert(std::is_floating_point_v<T>);
    return static_cast<T>(value);
  }
}

}  // namespace collbench
