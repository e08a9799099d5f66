// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "element_types.h"
#include "fake_cuda.h"

namespace fakenccl {
namespace {

// In which type one step is computed before it is rounded: small floats have no arithmetic on
// hosts, and integers wrap around only when they are unsigned.
template <class T>
struct Step {
  using type = float;
};
template <std::integral T>
struct Step<T> {
  using type = std::make_unsigned_t<T>;
};
template <>
struct Step<double> {
  using type = double;
};

template <class T>
T add(T a, T b) {
  using S = typename Step<T>::type;
  return static_cast<T>(static_cast<S>(static_cast<S>(a) + static_cast<S>(b)));
}

template <class T>
T multiply(T a, T b) {
  using S = typename Step<T>::type;
  // 64 bits, as two unsigned shorts would be multiplied as int, and overflow.
  using Wide = std::conditional_t<std::integral<T>, std::uint64_t, S>;
  return static_cast<T>(static_cast<S>(static_cast<Wide>(static_cast<S>(a)) * static_cast<S>(b)));
}

template <class T>
bool less(T a, T b) {
  if constexpr (std::integral<T>) {
    return a < b;
  } else {
    using S = typename Step<T>::type;
    return static_cast<S>(a) < static_cast<S>(b);
  }
}

template <class T>
T inverse(int ranks) {
  using S = typename Step<T>::type;
  return static_cast<T>(S{1} / static_cast<S>(ranks));
}

// Rank by rank over a block that stays in the cache, as `out` may be one of the inputs.
template <class T, class Combine>
void fold(std::span<const std::byte* const> inputs, std::size_t count, std::byte* out,
          Combine combine) {
  constexpr std::size_t kBlock = 512;
  T block[kBlock];
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t length = std::min(kBlock, count - begin);
    for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
      const T* const values = reinterpret_cast<const T*>(inputs[rank]) + begin;
      for (std::size_t i = 0; i < length; ++i)
        block[i] = rank == 0 ? values[i] : combine(block[i], values[i]);
    }
    std::memcpy(out + begin * sizeof(T), block, length * sizeof(T));
  }
}

template <class T>
void divide(std::byte* out, std::size_t count, std::size_t ranks) {
  T* const values = reinterpret_cast<T*>(out);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(values[i] / static_cast<T>(ranks));
}

template <class T>
T scalar_of(const Reduction& reduction) {
  T scalar;
  if (reduction.device_scalar) {
    std::memcpy(static_cast<void*>(&scalar),
                fakecuda::alias(reduction.device_scalar, sizeof scalar), sizeof scalar);
  } else {
    std::memcpy(static_cast<void*>(&scalar), &reduction.scalar, sizeof scalar);
  }
  return scalar;
}

template <class T>
void contribute_as(const Reduction& reduction, int ranks, const std::byte* in, std::size_t count,
                   std::byte* out) {
  const bool scaled = reduction.op == ncclNumOps || (reduction.op == ncclAvg && !std::integral<T>);
  if (!scaled) {
    if (in != out) std::memcpy(out, in, count * sizeof(T));
    return;
  }
  const T scalar = reduction.op == ncclAvg ? inverse<T>(ranks) : scalar_of<T>(reduction);
  const T* const from = reinterpret_cast<const T*>(in);
  T* const to = reinterpret_cast<T*>(out);
  for (std::size_t i = 0; i < count; ++i) to[i] = multiply(from[i], scalar);
}

template <class T>
void reduce_as(const Reduction& reduction, std::span<const std::byte* const> inputs,
               std::size_t count, std::byte* out) {
  switch (reduction.op) {
    case ncclProd:
      return fold<T>(inputs, count, out, multiply<T>);
    case ncclMax:
      return fold<T>(inputs, count, out, [](T a, T b) { return less(a, b) ? b : a; });
    case ncclMin:
      return fold<T>(inputs, count, out, [](T a, T b) { return less(b, a) ? b : a; });
    default:
      fold<T>(inputs, count, out, add<T>);
  }
  if constexpr (std::integral<T>) {
    if (reduction.op == ncclAvg) divide<T>(out, count, inputs.size());
  }
}

}  // namespace

void contribute(const Reduction& reduction, ncclDataType_t type, int ranks, const std::byte* in,
                std::size_t count, std::byte* out) {
  with_type(type,
            [&](auto zero) { contribute_as<decltype(zero)>(reduction, ranks, in, count, out); });
}

void reduce(const Reduction& reduction, ncclDataType_t type,
            std::span<const std::byte* const> inputs, std::size_t count, std::byte* out) {
  with_type(type, [&](auto zero) { reduce_as<decltype(zero)>(reduction, inputs, count, out); });
}

}  // namespace fakenccl
