// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_arithmetic.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Plain loops, compiled for vector units of three widths; the loader takes the widest that the
// machine has. -O2 vectorises no loop of unknown length, hence O3.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define COLLBENCH_VECTOR_LOOP \
  __attribute__((optimize("O3"), target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define COLLBENCH_VECTOR_LOOP
#endif

namespace collbench {
namespace {

#if defined(__x86_64__)
// Converting halves by instruction is six times faster than the best loop over float16.h. Returns
// how many elements, from the first on, it has added: all but the last few.
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

Count add_by_instruction(const Half* in, Half* inout, Count count) {
  // Every processor with AVX2 has F16C, and compilers know the name of the former only.
  return __builtin_cpu_supports("avx2") ? add_by_eight(in, inout, count) : 0;
}
#else
Count add_by_instruction(const Half*, Half*, Count) { return 0; }
#endif

// Both 16-bit formats order their values as sign and magnitude; this makes them, or back from
// them, integers of the same order.
std::int16_t order_key(std::int16_t bits) {
  return static_cast<std::int16_t>(bits ^ ((bits >> 15) & 0x7fff));
}

COLLBENCH_VECTOR_LOOP
void keep_larger_bits(const std::int16_t* __restrict in, std::int16_t* __restrict inout,
                      Count count) {
  for (Count i = 0; i < count; ++i) {
    inout[i] = order_key(std::max(order_key(in[i]), order_key(inout[i])));
  }
}

COLLBENCH_VECTOR_LOOP
void divide(float* data, Count count, float divisor) {
  for (Count i = 0; i < count; ++i) data[i] /= divisor;
}

COLLBENCH_VECTOR_LOOP
void divide(BFloat16* data, Count count, float divisor) {
  for (Count i = 0; i < count; ++i) data[i] = to_bfloat16(to_float(data[i]) / divisor);
}

void divide(Half* data, Count count, float divisor) {
  for (Count i = 0; i < count; ++i) data[i] = to_half(to_float(data[i]) / divisor);
}

void divide(std::int32_t* data, Count count, std::int32_t divisor) {
  for (Count i = 0; i < count; ++i) data[i] /= divisor;
}

}  // namespace

void add(const Half* in, Half* inout, Count count) {
  for (Count i = add_by_instruction(in, inout, count); i < count; ++i) {
    inout[i] = to_half(to_float(in[i]) + to_float(inout[i]));
  }
}

COLLBENCH_VECTOR_LOOP
void add(const BFloat16* __restrict in, BFloat16* __restrict inout, Count count) {
  for (Count i = 0; i < count; ++i) inout[i] = to_bfloat16(to_float(in[i]) + to_float(inout[i]));
}

void keep_larger(const Half* in, Half* inout, Count count) {
  keep_larger_bits(reinterpret_cast<const std::int16_t*>(in),
                   reinterpret_cast<std::int16_t*>(inout), count);
}

void keep_larger(const BFloat16* in, BFloat16* inout, Count count) {
  keep_larger_bits(reinterpret_cast<const std::int16_t*>(in),
                   reinterpret_cast<std::int16_t*>(inout), count);
}

void divide(void* data, Count count, DataType type, int divisor) {
  const auto divisor_f = static_cast<float>(divisor);
  switch (type) {
    case DataType::float32:
      return divide(static_cast<float*>(data), count, divisor_f);
    case DataType::half:
      return divide(static_cast<Half*>(data), count, divisor_f);
    case DataType::bfloat16:
      return divide(static_cast<BFloat16*>(data), count, divisor_f);
    case DataType::int32:
      return divide(static_cast<std::int32_t*>(data), count, divisor);
  }
}

}  // namespace collbench
