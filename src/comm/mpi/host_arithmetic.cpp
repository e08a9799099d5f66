// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_arithmetic.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "base/element.h"
#include "comm/mpi/vector_loop.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace collbench {
namespace {

// -- Halves. Sum and product of two are exact in a float, or so near that rounding it once more
// changes nothing: it has twice the digits and two more.

#if defined(__x86_64__)
// Converting halves by instruction is six times faster than the best loop over float16.h. Each
// returns how many elements, from the first on, it has handled: all but the last few.
__attribute__((target("avx2,f16c"))) Count add_by_eight(const Half* in, Half* inout, Count count) {
  Count i = 0;
  for (; i + 8 <= count; i += 8) {
    const auto* from = reinterpret_cast<const __m128i*>(in + i);
    auto* to = reinterpret_cast<__m128i*>(inout + i);
    const __m256 sum =
        _mm256_add_ps(_mm256_cvtph_ps(_mm_loadu_si128(from)), _mm256_cvtph_ps(_mm_loadu_si128(to)));
    _mm_storeu_si128(to, _mm256_cvtps_ph(sum, _MM_FROUND_TO_NEAREST_INT));
  }
  return i;
}

__attribute__((target("avx2,f16c"))) Count multiply_by_eight(const Half* in, Half* inout,
                                                             Count count) {
  Count i = 0;
  for (; i + 8 <= count; i += 8) {
    const auto* from = reinterpret_cast<const __m128i*>(in + i);
    auto* to = reinterpret_cast<__m128i*>(inout + i);
    const __m256 product =
        _mm256_mul_ps(_mm256_cvtph_ps(_mm_loadu_si128(from)), _mm256_cvtph_ps(_mm_loadu_si128(to)));
    _mm_storeu_si128(to, _mm256_cvtps_ph(product, _MM_FROUND_TO_NEAREST_INT));
  }
  return i;
}

// Every processor with AVX2 has F16C, and compilers know the name of the former only.
bool converts_halves() { return __builtin_cpu_supports("avx2"); }
#else
Count add_by_eight(const Half*, Half*, Count) { return 0; }
Count multiply_by_eight(const Half*, Half*, Count) { return 0; }
bool converts_halves() { return false; }
#endif

// -- 8-bit floats: a table of the results for every pair of patterns.

template <class Float8>
class PairTable {
 public:
  template <class Function>  // of two doubles
  explicit PairTable(Function function) : results_(std::make_unique<Results>()) {
    for (unsigned a = 0; a < 256; ++a) {
      for (unsigned b = 0; b < 256; ++b) {
        const double result = function(value(a), value(b));
        (*results_)[a << 8 | b] = from_double<Float8>(result).bits;
      }
    }
  }

  void apply(const Float8* in, Float8* inout, Count count) const {
    const Results& results = *results_;
    for (Count i = 0; i < count; ++i) inout[i].bits = results[in[i].bits << 8 | inout[i].bits];
  }

 private:
  using Results = std::array<std::uint8_t, 1 << 16>;

  static double value(unsigned pattern) {
    return to_double(Float8{static_cast<std::uint8_t>(pattern)});
  }

  std::unique_ptr<Results> results_;
};

// -- Order. These formats order their values as sign and magnitude; this makes them, or back from
// them, integers of the same order.

std::int16_t order_key(std::int16_t bits) {
  return static_cast<std::int16_t>(bits ^ ((bits >> 15) & 0x7fff));
}
std::int8_t order_key(std::int8_t bits) {
  return static_cast<std::int8_t>(bits ^ ((bits >> 7) & 0x7f));
}
template <class Unsigned>
Unsigned order_key(Unsigned number) {
  return number;
}

template <class Bits>
COLLBENCH_VECTOR_LOOP void keep_larger_bits(const Bits* __restrict in, Bits* __restrict inout,
                                            Count count) {
  for (Count i = 0; i < count; ++i) {
    inout[i] = order_key(std::max(order_key(in[i]), order_key(inout[i])));
  }
}

template <class Bits>
COLLBENCH_VECTOR_LOOP void keep_smaller_bits(const Bits* __restrict in, Bits* __restrict inout,
                                             Count count) {
  for (Count i = 0; i < count; ++i) {
    inout[i] = order_key(std::min(order_key(in[i]), order_key(inout[i])));
  }
}

// -- BFloat16.

COLLBENCH_VECTOR_LOOP
void add_each(const BFloat16* __restrict in, BFloat16* __restrict inout, Count count) {
  for (Count i = 0; i < count; ++i) inout[i] = to_bfloat16(to_float(in[i]) + to_float(inout[i]));
}

// A float has the digits of the product, but below 2^-126 not its exponent.
COLLBENCH_VECTOR_LOOP
void multiply_each(const BFloat16* __restrict in, BFloat16* __restrict inout, Count count) {
  for (Count i = 0; i < count; ++i) {
    inout[i] = from_double<BFloat16>(to_double(in[i]) * to_double(inout[i]));
  }
}

// What order_key takes.
template <class Number>
struct Ordered {
  using Bits = std::conditional_t<sizeof(Number) == 1, std::int8_t, std::int16_t>;
};
template <std::unsigned_integral Number>
struct Ordered<Number> {
  using Bits = Number;
};

}  // namespace

template <>
void add(const Half* in, Half* inout, Count count) {
  for (Count i = converts_halves() ? add_by_eight(in, inout, count) : 0; i < count; ++i) {
    inout[i] = to_half(to_float(in[i]) + to_float(inout[i]));
  }
}

template <>
void add(const BFloat16* in, BFloat16* inout, Count count) {
  add_each(in, inout, count);
}

template <class Float>
void add(const Float* in, Float* inout, Count count) {
  static const PairTable<Float> sums([](double a, double b) { return a + b; });
  sums.apply(in, inout, count);
}

template <>
void multiply(const Half* in, Half* inout, Count count) {
  for (Count i = converts_halves() ? multiply_by_eight(in, inout, count) : 0; i < count; ++i) {
    inout[i] = to_half(to_float(in[i]) * to_float(inout[i]));
  }
}

template <>
void multiply(const BFloat16* in, BFloat16* inout, Count count) {
  multiply_each(in, inout, count);
}

template <class Float>
void multiply(const Float* in, Float* inout, Count count) {
  static const PairTable<Float> products([](double a, double b) { return a * b; });
  products.apply(in, inout, count);
}

template <class Number>
void keep_larger(const Number* in, Number* inout, Count count) {
  using Bits = typename Ordered<Number>::Bits;
  keep_larger_bits(reinterpret_cast<const Bits*>(in), reinterpret_cast<Bits*>(inout), count);
}

template <class Number>
void keep_smaller(const Number* in, Number* inout, Count count) {
  using Bits = typename Ordered<Number>::Bits;
  keep_smaller_bits(reinterpret_cast<const Bits*>(in), reinterpret_cast<Bits*>(inout), count);
}

template void add(const Float8E4M3*, Float8E4M3*, Count);
template void add(const Float8E5M2*, Float8E5M2*, Count);
template void multiply(const Float8E4M3*, Float8E4M3*, Count);
template void multiply(const Float8E5M2*, Float8E5M2*, Count);
template void keep_larger(const Half*, Half*, Count);
template void keep_larger(const BFloat16*, BFloat16*, Count);
template void keep_larger(const Float8E4M3*, Float8E4M3*, Count);
template void keep_larger(const Float8E5M2*, Float8E5M2*, Count);
template void keep_smaller(const Half*, Half*, Count);
template void keep_smaller(const BFloat16*, BFloat16*, Count);
template void keep_smaller(const Float8E4M3*, Float8E4M3*, Count);
template void keep_smaller(const Float8E5M2*, Float8E5M2*, Count);
template void keep_larger(const std::uint8_t*, std::uint8_t*, Count);
template void keep_larger(const std::uint32_t*, std::uint32_t*, Count);
template void keep_larger(const std::uint64_t*, std::uint64_t*, Count);
template void keep_smaller(const std::uint8_t*, std::uint8_t*, Count);
template void keep_smaller(const std::uint32_t*, std::uint32_t*, Count);
template void keep_smaller(const std::uint64_t*, std::uint64_t*, Count);

}  // namespace collbench
